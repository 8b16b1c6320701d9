/**
 * A server that lost the last commits, as a standby that was promoted without them: the writer notices it with its
 * next commit, reads again where the rows end, and what was lost is written again.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import type { BlockBatch } from '../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { Fault } from '../../src/core/fault.ts'
import { cutChain } from '../../src/indexing/evm/cut/cut-chain.ts'
import { StandingIngest } from '../../src/indexing/evm/run/standing-ingest.ts'
import { ActivityNotes } from '../../src/rollup/activity-notes.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { statement } from '../../src/store/engine/database.ts'
import { awaitLease, leaseRow, StandingLease, takeLease } from '../../src/store/lease.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const digested = chainTables.filter(({ freezes }) => freezes !== undefined)
const setStamp = statement('update lease set until_ms = ?')
const recording = openRecording(
  readFileSync(join(import.meta.dirname, '../../demo/chain-51002.firnrec')),
)
const { signal } = new AbortController()

function blocks(from: number, until: number): Promise<BlockBatch> {
  return recording.blocks(
    { from, until },
    (raw) => decodeBlocks(from, raw, zstdCompressSync),
    signal,
  )
}

onBothEngines(
  'lost commits: the writer reads again where rows end, and goes on',
  chainTables,
  async (store) => {
    const database = await store.open('write')
    const take = () => awaitLease(database, 'a', { clock: systemClock, signal })
    const first = await takeLease(database, 'a', systemClock)
    assert.ok(first !== undefined)
    const ingest = new StandingIngest({
      database,
      standing: new StandingLease(first, take),
      spec: { startHeight: 0 },
      world: { clock: systemClock },
      log: silentLog,
      signal,
      outbox: undefined,
      freezing: undefined,
      activity: new ActivityNotes(),
    })
    const write = async (from: number, until: number): Promise<void> => {
      const batch = await blocks(from, until)
      await ingest.write((into) => into.blocks(batch))
    }
    assert.equal((await ingest.resume()).blocksFrom, 0)
    await write(0, 20)
    const kept = await leaseRow(database)
    await write(20, 40)
    const rows = await storeDigest(database, digested)
    await write(40, 60)
    // The server goes back to what it had after the first batch.
    const server = await store.open('write')
    await server.transaction(async (writer) => {
      await cutChain(writer, 20, kept?.epoch ?? 0)
      await writer.run(setStamp, [kept?.stamp ?? 0])
    })
    await assert.rejects(
      write(60, 80),
      (error) => error instanceof Fault && error.code === 'lease-lost' && error.retryable,
    )
    assert.equal((await ingest.resume()).blocksFrom, 20)
    await write(20, 40)
    assert.deepEqual(await storeDigest(database, digested), rows)
    await write(40, 60)
  },
)
