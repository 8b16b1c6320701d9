/** The book of verified contracts of this process. */

import { join } from 'node:path'

import { type ContractBook, createContractBook } from '../../api/contracts/contract-book.ts'
import type { AbiBook } from '../../api/evm/abi-book.ts'
import type { Config } from '../../config/settings.ts'
import { usualCompileLimits } from '../../contracts/compiler.ts'
import { openCompilers } from '../../contracts/compilers.ts'
import type { World } from '../../core/world.ts'
import type { StoreLocation } from '../../store/open.ts'
import { contractStore, contractTables } from '../../store/schema/contracts.ts'
import type { Log } from '../../telemetry/log.ts'
import { openCallersStore } from '../stores/late-store.ts'

/** A book, and what closes its store. */
export type OpenContracts = { readonly book: ContractBook; readonly close: () => Promise<void> }

/** Opens it. Throws faults of stores. */
export async function openContracts(
  config: Config,
  parts: {
    readonly world: World
    readonly log: Log
    readonly store: StoreLocation
    readonly abis: AbiBook
  },
): Promise<OpenContracts> {
  const { world, log, abis } = parts
  const { role } = config
  const of = { name: contractStore, tables: contractTables, store: parts.store, role, log }
  const store = await openCallersStore(of)
  const kept = join(config.dataDir, 'compilers')
  const compilers = openCompilers(config['contracts.compilers'], kept, world)
  const limits = usualCompileLimits
  const book = createContractBook({ store, compilers, limits, abis, clock: world.clock })
  return { book, close: store.close }
}
