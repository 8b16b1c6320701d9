/**
 * Frozen at every possible height, a store holds the rows that it held, each in one place; taken back
 * into tables, it is the store it was.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { recount } from '../../src/indexing/evm/write/recount.ts'
import { thawFrom } from '../../src/store/history/freeze.ts'
import { openStore } from '../../src/store/open.ts'
import { indexedHeight } from '../../src/store/query/evm/heights.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { soakRound } from '../support/processes/test-settings.ts'
import { freezeAt, segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chain = 51_002
const digested = evmTables.filter(({ freezes }) => freezes !== undefined)
const { signal } = new AbortController()

onBothEngines(
  'frozen: at every height a store holds the same rows',
  [],
  async ({ location: { store }, engine }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-heights-'))
    const location = { store, dataDir, freeze: {} }
    await readDemoChain(location, { name: 'heights', chain, step: 50, owner: 'test' })
    const database = await openStore(location, 'heights', chainTables, 'write')
    try {
      const history = database.history
      assert.ok(history !== undefined)
      const whole = await storeDigest(database, digested)
      const last = await indexedHeight(database, 'blocks')
      // A segment for each block; compared at some heights, which a soak's rounds go through.
      const step = engine === 'sqlite' ? 5 : 40
      for (let until = 1; until <= last + 1; until++) {
        await freezeAt(database, [until])
        if ((until + soakRound) % step === 0 || until === last + 1)
          assert.deepEqual(await storeDigest(database, digested), whole, `frozen until ${until}`)
      }
      assert.equal((await segmentsOf(database)).length, last + 1)
      assert.deepEqual(await checkStore(database, chainTables, { signal }), [])
      const thaw = (from: number) =>
        database.transaction((writer) => thawFrom({ writer, history, recount }, from))
      for (const from of [last, Math.floor(last / 2), 0]) {
        assert.equal(await thaw(from), true)
        assert.deepEqual(await storeDigest(database, digested), whole, `frozen until ${from}`)
        assert.deepEqual(await checkStore(database, chainTables, { signal }), [])
      }
      assert.equal(await thaw(0), false)
    } finally {
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)
