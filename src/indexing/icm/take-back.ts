/**
 * Takes back what logs of one chain left in the store of messages, when these logs were not of the
 * chain. What the other chain said of the same messages stays, and is listed as if it had come
 * alone.
 */

import { equalBytes } from '../../core/bytes.ts'
import type { Writer } from '../../store/engine/database.ts'
import { bytes, integer, type RowOf, storedRow, text } from '../../store/query/stored-row.ts'
import { icmExecuted, icmList, icmReceive, icmSend, icmSourceNote } from '../../store/schema/icm.ts'
import type { Table } from '../../store/schema/table.ts'
import { listEntries, type MessageChain } from './apply-messages.ts'
import { countEnd, type HourCounts, writeHours } from './message-hours.ts'

/** An end of a message as it is stored. */
const endRow = storedRow({
  chain: text('chain'),
  network: integer('network'),
  timestamp: integer('timestamp'),
  source_id: bytes('source_id'),
  destination_id: bytes('destination_id'),
  sender: bytes('sender'),
  recipient: bytes('recipient'),
})
type End = RowOf<typeof endRow>

/** Ids of messages, 32 bytes each, one after the other. */
export function messageIds(joined: Uint8Array): Uint8Array[] {
  return Array.from({ length: joined.length / 32 }, (_, at) =>
    joined.subarray(at * 32, (at + 1) * 32),
  )
}

/**
 * Takes back all that `chain` said of the messages `ids`. Its logs that are of the chain are
 * applied again by the caller.
 */
export async function takeBack(
  writer: Writer,
  chain: MessageChain,
  ids: readonly Uint8Array[],
): Promise<void> {
  const counts: HourCounts = new Map()
  for (const id of ids) {
    const sent = await endOf(writer, icmSend, id)
    const received = await endOf(writer, icmReceive, id)
    await takeNotes(writer, chain, { id, end: sent ?? received })
    const goes = { sent: sent?.chain === chain.key, received: received?.chain === chain.key }
    if (!goes.sent && !goes.received) continue
    for (const end of [sent, received])
      if (end !== undefined) await unlist(writer, id, { end, sent, received })
    if (sent !== undefined && goes.sent) {
      await writer.remove(icmSend, { message_id: [id] })
      countEnd(counts, { what: 'sent', times: -1 }, sent)
    }
    if (received !== undefined && goes.received) {
      await writer.remove(icmReceive, { message_id: [id] })
      countEnd(counts, { what: 'received', times: -1 }, received)
    }
    const left = goes.sent ? (goes.received ? undefined : received) : sent
    if (left !== undefined) await writer.insertNew(icmList, listEntries(id, left, left))
  }
  await writeHours(writer, counts)
}

async function endOf(writer: Writer, table: Table, id: Uint8Array): Promise<End | undefined> {
  const lookup = { table, key: ['message_id'], select: endRow.names }
  const [row] = await writer.lookup(lookup, [[id]])
  return row === undefined ? undefined : endRow.read(row)
}

/** The sending chain says fees and receipts, the receiving one that the call went through. */
async function takeNotes(
  writer: Writer,
  { key, blockchainId }: MessageChain,
  { id, end }: { readonly id: Uint8Array; readonly end: End | undefined },
): Promise<void> {
  await writer.remove(icmSourceNote, { message_id: [id], chain: [key] })
  if (end === undefined || equalBytes(end.destination_id, blockchainId))
    await writer.remove(icmExecuted, { message_id: [id] })
}

/** Entries are under the time of sending, or while that is not known under that of receiving. */
async function unlist(
  writer: Writer,
  id: Uint8Array,
  of: { readonly end: End; readonly sent: End | undefined; readonly received: End | undefined },
): Promise<void> {
  for (const { timestamp, network } of [of.sent, of.received].filter((each) => each !== undefined))
    await writer.remove(icmList, listEntries(id, of.end, { timestamp, network }))
}
