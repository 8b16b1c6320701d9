/** Decoded logs into rows, and rows of logs taken away again. */

import type { LogBatch } from '../../../codec/evm/columns/columns.ts'
import { assert, Fault } from '../../../core/fault.ts'
import { f64At, u32At } from '../../../core/item-at.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import {
  logBlock,
  logByAddress,
  logByTopic,
  logEntry,
  logTransaction,
  topicKey,
} from '../../../store/schema/logs.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { gather } from '../../stream/radix-order.ts'
import { bytesOf, idsOf } from '../write/batch-columns.ts'
import { FanOut, maxBatchRows, keysOfRows } from '../write/fan-out.ts'
import type { Interner } from '../write/intern.ts'

const topicBytes = 32

/** Writes the logs of a batch with their lists. Throws `source-mismatch` for a block of too many. */
export async function writeLogs(
  writer: Writer,
  batch: LogBatch,
  interner: Interner,
): Promise<void> {
  const { logs, blocks, txs, arena, from: first } = batch
  assert(logs.count <= maxBatchRows, 'batches are cut below the limit of rows')
  const ids = idsOf(logs.address, await interner.ids(writer, batch.addresses))
  const pos = new Float64Array(logs.count)
  for (let row = 0; row < pos.length; row++) {
    const place = u32At(logs.logIndex, row)
    if (place >= placesPerBlock)
      throw new Fault('source-mismatch', `block has more logs than can be kept: ${place}`)
    pos[row] = (first + u32At(logs.block, row)) * placesPerBlock + place
  }
  await writer.insert(logBlock, {
    height: Float64Array.from(blocks.block, (block) => first + block),
    hash: ByteColumn.ofWidth(blocks.hash, 32),
    timestamp: blocks.timestamp,
  })
  await writer.insert(logTransaction, {
    pos: Float64Array.from(
      txs.block,
      (block, row) => (first + block) * placesPerBlock + u32At(txs.txIndex, row),
    ),
    hash: ByteColumn.ofWidth(txs.hash, 32),
  })
  await writer.insert(logEntry, {
    pos,
    tx_index: logs.txIndex,
    address_id: ids,
    topics: bytesOf(arena, logs.topics, logs.count),
    data: bytesOf(arena, logs.data, logs.count),
  })
  const emitters = new FanOut(logs.count)
  const topics = new FanOut(logs.count * 3)
  for (let row = 0; row < logs.count; row++) {
    emitters.add(f64At(ids, row), row)
    const from = u32At(logs.topics.offset, row)
    const count = u32At(logs.topics.length, row) / topicBytes
    for (let place = 0; place < count; place++)
      topics.add(topicKey(place, arena, from + place * topicBytes), row)
  }
  const byAddress = emitters.sorted()
  await writer.insert(logByAddress, { address_id: byAddress.ids, pos: gather(pos, byAddress.rows) })
  const byTopic = topics.sorted()
  await writer.insert(logByTopic, { topic_key: byTopic.ids, pos: gather(pos, byTopic.rows) })
}

const rowsFrom = statement(
  'select pos, address_id, topics from log_entry where pos >= ? order by pos limit ?',
  { over: 'tables' },
)

/** Rows taken away at once. */
const rowsAtOnce = 10_000

const transactionsFrom = statement('select pos from log_transaction where pos >= ?', {
  over: 'tables',
})
const blocksFrom = statement('select height from log_block where height >= ?', { over: 'tables' })

/**
 * Removes logs from height `from` on, none of which is frozen; numbers of addresses stay, as in the chain's
 * store.
 */
export async function cutLogs(writer: Writer, from: number): Promise<void> {
  const txs = await writer.all(transactionsFrom, [from * placesPerBlock])
  await writer.remove(logTransaction, keysOfRows(logTransaction, txs))
  await writer.remove(logBlock, keysOfRows(logBlock, await writer.all(blocksFrom, [from])))
  for (;;) {
    const rows = await writer.all(rowsFrom, [from * placesPerBlock, rowsAtOnce])
    if (rows.length === 0) return
    const emitters = rows.map(([pos, address]) => [address ?? null, pos ?? null])
    const topics = rows.flatMap(([pos, , bytes]) => {
      assert(bytes instanceof Uint8Array, 'topics of a log are bytes')
      return Array.from({ length: bytes.length / topicBytes }, (_, place) => [
        topicKey(place, bytes, place * topicBytes),
        pos ?? null,
      ])
    })
    await writer.remove(logByAddress, keysOfRows(logByAddress, emitters))
    await writer.remove(logByTopic, keysOfRows(logByTopic, topics))
    await writer.remove(
      logEntry,
      keysOfRows(
        logEntry,
        rows.map(([pos]) => [pos ?? null]),
      ),
    )
  }
}
