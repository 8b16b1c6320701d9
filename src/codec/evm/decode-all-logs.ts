/** Every log of blocks into columns, whatever it says. */

import { AddressBook } from './address-book.ts'
import { checkUnit } from './check-block.ts'
import { logTable, type LogBatch } from './columns.ts'
import { Bytes } from './growing.ts'
import { hexNumber } from './hex.ts'
import { listOf, type RawLog, type RawUnit } from './raw.ts'

/** The EVM has LOG0 to LOG4. */
const maxTopics = 4

/**
 * Logs of the blocks from height `from` on. Throws `node-answer` for what cannot be true,
 * `node-not-yet` for receipts that are not there.
 */
export function decodeAllLogs(from: number, raws: readonly RawUnit[]): LogBatch {
  const units = raws.map((raw, row) => checkUnit(raw, from + row))
  const count = units.reduce((sum, { logCount }) => sum + logCount, 0)
  const addresses = new AddressBook(count + 16)
  const arena = new Bytes(count * 160)
  const all = logTable.growing(count, arena)
  for (const [block, unit] of units.entries())
    for (const [txIndex, logs] of unit.logs.entries())
      for (const log of logs) {
        all.block.push(block)
        all.txIndex.push(txIndex)
        all.logIndex.push(hexNumber(log.logIndex, 'log index'))
        all.address.push(addresses.idOf(log.address, 'log address'))
        const start = arena.length
        pushTopics(arena, log)
        all.topics.pushFrom(start)
        all.data.pushHex(log.data, 'log data')
      }
  return {
    kind: 'logs',
    from,
    until: from + units.length,
    logs: logTable.taken(all),
    arena: arena.taken(),
    addresses: addresses.taken(),
  }
}

function pushTopics(arena: Bytes, { topics }: RawLog): void {
  for (const topic of listOf(topics, 'topics').slice(0, maxTopics))
    arena.pushHex(topic, 'topic', 32)
}
