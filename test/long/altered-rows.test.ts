/** A change of any column of any table that freezes is found before its rows leave for a segment. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { recount } from '../../src/indexing/evm/write/recount.ts'
import { type Database, statement, type Writer } from '../../src/store/engine/database.ts'
import { freezeUntil } from '../../src/store/history/freeze.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { stageOf } from '../../src/store/schema/table.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'
import { alterationsOf } from '../support/stores/spoilt-stores.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const digested = chainTables.filter(({ freezes }) => freezes !== undefined)

onBothEngines(
  'altered rows: a change of any column of any table that freezes is found before its rows leave',
  [],
  async ({ location: { store }, engine }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-altered-'))
    try {
      const location = { store, dataDir, freeze: {} }
      await readDemoChain(location, { name: 'one', chain: 51_002, step: 40, owner: 'test' })
      const database = await openStore(location, 'one', chainTables, 'write')
      const before = await storeDigest(database, digested)
      for (const table of digested) {
        const [loss, ...all] = alterationsOf(table, engine)
        // Which column it was makes no difference to the engine.
        const changes = engine === 'sqlite' ? all : all.slice(-1)
        // Up to the middle of a range of sums, and so that no row is left in it.
        const tries = [
          [loss, 40] as const,
          ...[loss, ...changes].map((each) => [each, 20] as const),
        ]
        for (const [words, until] of tries)
          await assert.rejects(
            freezeAltered(database, until, words),
            { code: 'rows-altered' },
            `${String(words)}, then below ${until}`,
          )
      }
      for (const until of [20, 40])
        await assert.rejects(freezeAltered(database, until), /not kept/, 'what is whole freezes')
      assert.deepEqual(await storeDigest(database, digested), before)
      assert.deepEqual(await segmentsOf(database), [])
      await database.close()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

/** Freezes below a height after words behind the back of the sums, and takes all of it back. */
async function freezeAltered(database: Database, until: number, words?: string): Promise<void> {
  const history = database.history
  assert.ok(history !== undefined)
  await database.transaction(async (writer: Writer) => {
    if (words !== undefined) await writer.run(statement(words, { over: 'tables', unsummed: true }))
    const freezing = { writer, history, recount }
    const made = await freezeUntil(freezing, { blocks: until, traces: until })
    assert.deepEqual(
      made.map(({ stage }) => stage),
      [...new Set(digested.map(stageOf))],
    )
    throw new Error('not kept')
  })
}
