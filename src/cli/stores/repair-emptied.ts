/**
 * Mends stores that a stage fills again: that of interchain messages, from the logs that chains keep,
 * and those of logs, from the node.
 */

import { storeLocation } from '../../service/stores/store-location.ts'
import { statement } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { holdLease } from '../../store/lease.ts'
import { openStore } from '../../store/open.ts'
import { icmTables } from '../../store/schema/icm.ts'
import { logTables } from '../../store/schema/logs.ts'
import { removeStore } from './remove-store.ts'
import type { RepairWork } from './repair-work.ts'
import { takeStore } from './take-store.ts'

const forgetHeights = statement('delete from checkpoint')

/** Empties the store of messages; the next start fills it again, without a node. Returns true. */
export function repairMessages(work: RepairWork): Promise<boolean> {
  const says = 'it is joined again from the stored chains when Firn runs'
  return emptied(work, { tables: icmTables, says })
}

/** Empties a store of logs; the next start reads them again from a node. Returns true. */
export function repairLogs(work: RepairWork): Promise<boolean> {
  return emptied(work, { tables: logTables, says: 'its logs are read again when Firn runs' })
}

async function emptied(
  { config, store, world, owner }: RepairWork,
  { tables, says }: { readonly tables: readonly Table[]; readonly says: string },
): Promise<boolean> {
  console.log(`${store.key}: emptied; ${says}`)
  if (config.store === 'embedded') {
    // Nothing of the file is needed, so nothing of it needs to be readable.
    removeStore(config.dataDir, store.key)
    await (await openStore(storeLocation(config), store.key, store.tables, 'write')).close()
    return true
  }
  const database = await openStore(storeLocation(config), store.key, store.tables, 'write')
  const { clock } = world
  const lease = await takeStore(database, owner, clock)
  await database.transaction(async (writer) => {
    await holdLease(writer, lease, clock)
    for (const table of tables) await writer.clear(table)
    await writer.run(forgetHeights)
  })
  await database.close()
  return true
}
