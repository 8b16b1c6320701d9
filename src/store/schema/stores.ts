/** The tables of each kind of store. */

import { controlTables } from './control.ts'
import { apiUseTables, contractTables, deploymentTables } from './deployment.ts'
import { outboxTables, webhookTables } from './events.ts'
import { evmTables } from './evm.ts'
import { icmTables } from './icm.ts'
import { logTables } from './logs.ts'
import { activityDay, metricsTables } from './metrics.ts'
import { nftRequestTables } from './nft.ts'
import { primaryTables, undo } from './primary/tables.ts'

/** Of an EVM chain. */
export const chainTables = [
  ...controlTables,
  ...evmTables,
  ...metricsTables,
  activityDay,
  ...outboxTables,
] as const

/** Of a primary network. */
export const primaryStoreTables = [
  ...controlTables,
  ...primaryTables,
  undo,
  ...outboxTables,
] as const

/** Of interchain messages. */
export const messageTables = [...controlTables, ...icmTables] as const

/** Of webhooks: a lease says which process delivers. */
export const eventTables = [...controlTables, ...webhookTables] as const

/** Of every kind of store. */
export const everyTable = [
  ...chainTables,
  ...primaryStoreTables,
  ...messageTables,
  ...eventTables,
  ...contractTables,
  ...nftRequestTables,
  ...apiUseTables,
  ...deploymentTables,
  ...logTables,
] as const
