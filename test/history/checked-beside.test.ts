/** Rows that a disk changed are found beside indexing, in a store that is open. */

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import type { Clock } from '../../src/core/world.ts'
import { checkStream } from '../../src/indexing/stream/check-stream.ts'
import type { StageStatus } from '../../src/indexing/stream/stage.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { transfer } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import {
  freshFolder,
  indexedFolder,
  startFirn,
  chainStatuses,
  until,
} from '../support/processes/firn-process.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { alterationsOf } from '../support/stores/spoilt-stores.ts'

const dayMs = 86_400_000

/** Status of the stream at the end of its first round. */
async function checkedStatus(database: Database, tables: readonly Table[]): Promise<StageStatus> {
  const over = new AbortController()
  const clock: Clock = {
    ...systemClock,
    sleep: (ms) => {
      if (ms === dayMs) over.abort()
      return Promise.resolve()
    },
  }
  const stream = checkStream({ database, tables, key: 'one', clock, log: silentLog })
  await stream.run(over.signal)
  return stream.status()
}

void test('a row that a disk changed is found in any table that is summed, and names it', async (t) => {
  const dataDir = await freshFolder(t)
  const location = { store: 'embedded', dataDir }
  await readDemoChain(location, { name: 'one', chain: 51_002, step: 40, owner: 'test' })
  const database = await openStore(location, 'one', chainTables, 'write')
  t.after(() => database.close())
  assert.deepEqual((await checkedStatus(database, chainTables)).state, 'live')

  const [file = ''] = (await readdir(dataDir)).filter((name) => name.endsWith('.sqlite'))
  const disk = new DatabaseSync(join(dataDir, file))
  t.after(() => disk.close())
  let tried = 0
  for (const table of chainTables) {
    if (table.sums === undefined || table.name === 'range_sum') continue
    if (disk.prepare(`select 1 from ${table.name} limit 1`).get() === undefined) continue
    for (const words of alterationsOf(table, 'sqlite').slice(0, 2)) {
      disk.exec(`create temp table kept as select * from ${table.name}`)
      disk.exec(words)
      const { state, reason } = await checkedStatus(database, [table])
      disk.exec(
        `delete from ${table.name}; insert into ${table.name} select * from temp.kept; drop table temp.kept`,
      )
      assert.equal(state, 'stopped', words)
      assert.ok(reason?.startsWith(`damaged: table ${table.name};`), `${words}: ${reason}`)
      tried++
    }
  }
  assert.ok(tried > 30, `${tried} changes`)
  assert.equal((await checkedStatus(database, chainTables)).state, 'live')
})

void test('a Firn that is started over a changed row says which table it is in, and how to mend it', async (t) => {
  const dataDir = await indexedFolder(t)
  const file = join(dataDir, 'fuji-demo-chain.sqlite')
  const disk = new DatabaseSync(file)
  const [words = ''] = alterationsOf(transfer, 'sqlite')
  disk.exec(words)
  disk.close()
  const firn = await startFirn(t, ['--data-dir', dataDir])
  const status = async () => (await chainStatuses(firn)).get('fuji-demo-chain')
  await until('stopped', async () => (await status())?.state === 'stopped')
  assert.match(
    (await status())?.reason ?? '',
    /damaged: table transfer; firn verify --store --repair mends it/,
  )
  const health = () => fetch(`${firn.nodeUrl}/ext/health`)
  await until('not healthy', async () => (await health()).status === 503)
  assert.match(await (await health()).text(), /damaged: table transfer/)
})
