/**
 * Rows that are not those that were written never leave their table for a segment: nothing is lost, the
 * status names table and blocks, and history freezes once they are mended.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Freezer } from '../../src/indexing/evm/freeze/freeze-stream.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { chainReader } from '../support/chains/made-blocks.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const digested = chainTables.filter(({ freezes }) => freezes !== undefined)
const { signal } = new AbortController()

onBothEngines(
  'altered rows: history stays in tables, the status names them, and it freezes after a start once they are mended',
  [],
  async ({ location: { store } }) => {
    await inFolder({ store }, async (location) => {
      const database = await openStore(location, 'one', chainTables, 'write')
      const read = chainReader()
      const ingest = await ingestOf(database)
      for (let batch = 0; batch < 3; batch++) await ingest.blocks(read(256))
      const whole = await storeDigest(database, digested)
      // A list in the second range; it is read by another key than height.
      await alter(
        database,
        'update evm_transaction_by_address set address_id = address_id + 1000000 where',
      )
      const altered = await storeDigest(database, digested)
      let commits = 0
      const begun = (): Freezer =>
        new Freezer(
          {
            key: 'one',
            database,
            clock: virtualClock(),
            log: silentLog,
            commit: (work) => {
              commits++
              return database.transaction(work)
            },
          },
          { rowsPerSegment: 100 },
        )
      let freezer = begun()
      await freezer.freezeDue(signal)
      const reason =
        'history stays in tables: rows of table evm_transaction_by_address of blocks 256 to 511 are not those that ' +
        'were written; firn verify --store --repair mends them'
      assert.deepEqual(freezer.report(), { state: 'off', reason })
      assert.equal(await ends(database), '256')
      assert.deepEqual(await storeDigest(database, digested), altered, 'no row is lost')
      assert.equal(
        readdirSync(join(location.dataDir, 'segments', 'one')).length,
        3,
        'the file that was made goes when nobody has named it for minutes',
      )
      // Two segments were tried. Nothing is tried again while the rows are as they are.
      assert.equal(commits, 2)
      await freezer.freezeDue(signal)
      assert.equal(commits, 2)
      await alter(
        database,
        'update evm_transaction_by_address set address_id = address_id - 1000000 where',
      )
      freezer = begun()
      await freezer.freezeDue(signal)
      assert.deepEqual(freezer.report(), {})
      assert.equal(await ends(database), '256 512 768')
      assert.deepEqual(await storeDigest(database, digested), whole)
      await database.close()
    })
  },
)

onBothEngines(
  'altered rows: blocks of a backfill that follow them are stored in tables',
  [],
  async ({ location: { store } }) => {
    await inFolder({ store }, async (location) => {
      const database = await openStore(location, 'one', chainTables, 'write')
      const read = chainReader()
      await (await ingestOf(database)).blocks(read(20))
      await database.transaction((writer) => writer.run(oneNonce))
      const ingest = await ingestOf(database, true)
      const faults = [await ingest.blocks(read(30)), await ingest.blocks(read(30))]
      assert.deepEqual(
        faults.map((fault) => fault?.message),
        [
          'rows of table evm_transaction of blocks 0 to 255 are not those that were written',
          undefined,
        ],
      )
      assert.deepEqual(await database.all(countBlocks), [[80]])
      await database.close()
    })
  },
)

const oneNonce = statement(
  'update evm_transaction set nonce = nonce + 1 where pos = (select min(pos) from evm_transaction)',
  { over: 'tables', unsummed: true },
)
const countBlocks = statement('select count(*) from evm_block', { over: 'tables' })

/** Changes the first entry of block 300. */
async function alter(database: Database, words: string): Promise<void> {
  const first = 300 * 2 ** 20
  const where = `pos = ${first} and address_id % 1000000 = (select min(address_id % 1000000)
    from evm_transaction_by_address where pos = ${first})`
  const changed = await database.transaction((writer) =>
    writer.run(statement(`${words} ${where}`, { over: 'tables', unsummed: true })),
  )
  assert.equal(changed, 1)
}

async function ends(database: Database): Promise<string> {
  return (await segmentsOf(database)).map(({ until }) => until).join(' ')
}

/** Writes batches, into segments as they come or into tables. */
async function ingestOf(database: Database, freezesAtOnce = false): Promise<EvmIngest> {
  const lease = await takeLease(database, 'test', systemClock)
  const history = database.history
  assert.ok(lease !== undefined && history !== undefined)
  const atOnce = { history, leastRows: 1, mostRowsBefore: 1_000, rowsInTables: 0 }
  const freezing = freezesAtOnce ? atOnce : undefined
  return new EvmIngest({ database, lease, clock: systemClock, freezing })
}

async function inFolder(
  { store }: Pick<StoreLocation, 'store'>,
  work: (location: StoreLocation) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-altered-'))
  try {
    await work({ store, dataDir, freeze: {} })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
