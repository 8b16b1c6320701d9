/**
 * Takes back what logs of one chain left in the store of messages, when these logs were not of the
 * chain. What the other chain said of the same messages stays, and is listed as if it had come alone.
 */

import { equalBytes } from '../../core/bytes.ts'
import type { Row, Value, Writer } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { listSubjects } from '../../store/query/icm/list-subject.ts'
import { icmExecuted, icmList, icmReceive, icmSend, icmSourceNote } from '../../store/schema/icm.ts'
import type { MessageChain } from './apply-messages.ts'
import { countEnd, type HourCounts, writeHours } from './message-hours.ts'

const columns = [
  'chain',
  'network',
  'timestamp',
  'source_id',
  'destination_id',
  'sender',
  'recipient',
] as const

/** An end of a message as it is stored. */
type End = Readonly<Record<(typeof columns)[number], Value>>

/** Ids of messages, 32 bytes each, one after the other. */
export function messageIds(joined: Uint8Array): Uint8Array[] {
  return Array.from({ length: joined.length / 32 }, (_, at) =>
    joined.subarray(at * 32, (at + 1) * 32),
  )
}

/**
 * Takes back all that `chain` said of the messages `ids`. Its logs that are of the chain are applied
 * again by the caller.
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
    if (left !== undefined) await list(writer, id, left)
  }
  await writeHours(writer, counts)
}

async function endOf(writer: Writer, table: Table, id: Uint8Array): Promise<End | undefined> {
  const [row] = await writer.lookup({ table, key: ['message_id'], select: columns }, [[id]])
  return row === undefined ? undefined : endOfRow(row)
}

function endOfRow(row: Row): End {
  const [chain = null, network = null, timestamp = null, source = null, destination = null] = row
  const [sender = null, recipient = null] = row.slice(5)
  return {
    chain,
    network,
    timestamp,
    source_id: source,
    destination_id: destination,
    sender,
    recipient,
  }
}

/** The sending chain tells fees and receipts, the receiving one that the call went through. */
async function takeNotes(
  writer: Writer,
  { blockchainId }: MessageChain,
  { id, end }: { readonly id: Uint8Array; readonly end: End | undefined },
): Promise<void> {
  const isOf = (value: Value | undefined): boolean =>
    !(value instanceof Uint8Array) || equalBytes(value, blockchainId)
  if (isOf(end?.source_id)) await writer.remove(icmSourceNote, { message_id: [id] })
  if (isOf(end?.destination_id)) await writer.remove(icmExecuted, { message_id: [id] })
}

/** Entries are under the time of sending, or while that is not known under that of receiving. */
async function unlist(
  writer: Writer,
  id: Uint8Array,
  of: { readonly end: End; readonly sent: End | undefined; readonly received: End | undefined },
): Promise<void> {
  for (const { timestamp, network } of [of.sent, of.received].filter((each) => each !== undefined))
    await writer.remove(icmList, entries(id, of.end, { timestamp, network }))
}

async function list(writer: Writer, id: Uint8Array, end: End): Promise<void> {
  await writer.insertNew(icmList, entries(id, end, end))
}

function entries(
  id: Uint8Array,
  end: End,
  { timestamp, network }: Pick<End, 'timestamp' | 'network'>,
): Record<string, Value[]> {
  const subjects = listSubjects({
    sender: bytesOf(end.sender),
    recipient: bytesOf(end.recipient),
    sourceId: bytesOf(end.source_id),
    destinationId: bytesOf(end.destination_id),
  })
  return {
    subject: subjects,
    network: subjects.map(() => network),
    timestamp: subjects.map(() => timestamp),
    message_id: subjects.map(() => id),
  }
}

function bytesOf(value: Value): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0)
}
