/** The tables of each kind of store. */

import { controlTables } from './control.ts'
import { evmTables } from './evm.ts'
import { icmTables } from './icm.ts'
import { metricsTables } from './metrics.ts'
import { primaryTables } from './primary.ts'

/** Of an EVM chain. */
export const chainTables = [...controlTables, ...evmTables, ...metricsTables] as const

/** Of a primary network. */
export const primaryStoreTables = [...controlTables, ...primaryTables] as const

/** Of interchain messages. */
export const messageTables = [...controlTables, ...icmTables] as const
