/** Mends the store of interchain messages: it is joined again from the logs that chains keep. */

import { statement } from '../../store/engine/database.ts'
import { openStore } from '../../store/engine/open.ts'
import { holdLease } from '../../store/lease.ts'
import { icmTables } from '../../store/schema/icm.ts'
import { removeStore } from './remove-store.ts'
import type { RepairWork } from './repair-work.ts'
import { takeStore } from './take-store.ts'

const forgetHeights = statement('delete from checkpoint')

/** Empties the store; the next start fills it again, without a node. Gives true. */
export async function repairMessages({
  config,
  store,
  world,
  owner,
}: RepairWork): Promise<boolean> {
  console.log(`${store.key}: emptied; it is joined again from the stored chains when Firn runs`)
  if (config.store === 'embedded') {
    // Nothing of the file is needed, so nothing of it needs to be readable.
    removeStore(config.dataDir, store.key)
    await (await openStore(config, store.key, store.tables, 'write')).close()
    return true
  }
  const database = await openStore(config, store.key, store.tables, 'write')
  const { clock } = world
  const lease = await takeStore(database, owner, clock)
  await database.transaction(async (writer) => {
    await holdLease(writer, lease, clock)
    for (const table of icmTables) await writer.clear(table)
    await writer.run(forgetHeights)
  })
  await database.close()
  return true
}
