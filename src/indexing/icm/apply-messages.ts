/** Messenger logs of one chain into the store of messages. */

import {
  decodeFee,
  type IcmFee,
  type ProvenMessage,
  provenReceive,
  provenSend,
} from '../../codec/evm/abi/icm-events.ts'
import { eventKinds } from '../../codec/evm/columns/columns.ts'
import { concatBytes, keyOf, toBigint } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { wideBytes } from '../../core/wide-integer.ts'
import type { ColumnsOf, Writer } from '../../store/engine/database.ts'
import { listSubjects } from '../../store/query/icm/list-subject.ts'
import type { MessengerLog } from '../../store/query/icm/messenger-logs.ts'
import { icmExecuted, icmList, icmReceive, icmSend, icmSourceNote } from '../../store/schema/icm.ts'
import type { Table } from '../../store/schema/table.ts'
import { countEnd, type HourCounts, writeHours } from './message-hours.ts'

/** The chain whose logs are applied. */
export type MessageChain = {
  readonly key: string
  /** 0 mainnet, 1 the test network. */
  readonly network: number
  /** 32 bytes. */
  readonly blockchainId: Uint8Array
}

/** One end of a message, by column of its table. */
type End = ReturnType<typeof commonEnd> | ReturnType<typeof receiveEnd>

/**
 * Writes what `logs` say, in their order; applying them again changes nothing. Returns the logs
 * that do not have the form of their first topic. A chain may have any code at the messenger's
 * address. Its word counts for its own ends of messages alone: the id of an end is the hash of
 * messenger, source, destination and nonce, and any other fact counts only from the chain of the
 * end that it is about.
 */
export async function applyMessages(
  writer: Writer,
  chain: MessageChain,
  logs: readonly MessengerLog[],
): Promise<MessengerLog[]> {
  const bad: MessengerLog[] = []
  const ends: { readonly table: Table; readonly end: End }[] = []
  const notes = new Map<string, { id: Uint8Array; fee?: IcmFee; receipt?: boolean }>()
  const executed: Uint8Array[] = []
  const received = await receivedHere(writer, chain, logs)
  for (const log of logs) {
    const id = log.topics.subarray(0, 32)
    const note = notes.get(keyOf(id)) ?? { id }
    try {
      switch (log.kind) {
        case eventKinds.icmSend: {
          const proven = provenSend(log, chain.blockchainId)
          ends.push({ table: icmSend, end: commonEnd(chain, log, proven) })
          notes.set(keyOf(id), { ...note, fee: proven.fee })
          break
        }
        case eventKinds.icmReceive:
          ends.push({ table: icmReceive, end: receiveEnd(chain, log) })
          received.add(keyOf(id))
          break
        case eventKinds.icmAddFee:
          notes.set(keyOf(id), { ...note, fee: decodeFee(log.data) })
          break
        case eventKinds.icmReceipt:
          notes.set(keyOf(id), { ...note, receipt: true })
          break
        case eventKinds.icmExecuted:
          executed.push(id)
          break
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      bad.push(log)
    }
  }
  const counts: HourCounts = new Map()
  for (const { table, end } of ends) {
    const isNew = await addEnd(writer, table, end)
    if (isNew) countEnd(counts, { what: table === icmSend ? 'sent' : 'received' }, end)
  }
  await writeHours(writer, counts)
  await writeNotes(writer, chain, [...notes.values()])
  // A call goes through before its message is reported as received, in one transaction.
  const here = distinct(executed).filter((id) => received.has(keyOf(id)))
  await writer.insertNew(icmExecuted, { message_id: here })
  return bad
}

/** Keys of those messages of `logs` that are stored as received on this chain. */
async function receivedHere(
  writer: Writer,
  { key }: MessageChain,
  logs: readonly MessengerLog[],
): Promise<Set<string>> {
  if (logs.length === 0) return new Set()
  const ids = distinct(logs.map(({ topics }) => topics.subarray(0, 32)))
  const lookup = { table: icmReceive, key: ['message_id'], select: ['chain'] } as const
  const rows = await writer.lookup(lookup, [ids])
  return new Set(ids.filter((_, at) => rows[at]?.[0] === key).map(keyOf))
}

/**
 * The first send of a message counts: a retry repeats it. A message is received once. Says if it
 * is new.
 */
async function addEnd(writer: Writer, table: Table, end: End): Promise<boolean> {
  const { message_id: id } = end
  const [sent] = await writer.lookup(
    { table: icmSend, key: ['message_id'], select: ['timestamp'] },
    [[id]],
  )
  const [received] = await writer.lookup(
    { table: icmReceive, key: ['message_id'], select: ['timestamp', 'network'] },
    [[id]],
  )
  if (table === icmSend ? sent !== undefined : received !== undefined) return false
  await writer.insert(
    table,
    Object.fromEntries(Object.entries(end).map(([name, value]) => [name, [value]])),
  )
  // A list shows the time of sending, once it is known.
  if (table === icmReceive && sent !== undefined) return true
  if (table === icmSend && received !== undefined) {
    // Removes the entries that the receiving end made, under its time.
    const [timestamp, network] = received
    await writer.remove(icmList, listEntries(id, end, { timestamp, network }))
  }
  await writer.insertNew(icmList, listEntries(id, end, end))
  return true
}

/** Entries of a message, given by an end of it, in all its lists, under a time. */
export function listEntries(
  id: Uint8Array,
  end: Pick<End, 'sender' | 'recipient' | 'source_id' | 'destination_id'>,
  { timestamp, network }: Pick<End, 'timestamp' | 'network'>,
): ColumnsOf<typeof icmList> {
  const subjects = listSubjects({
    sender: end.sender,
    recipient: end.recipient,
    sourceId: end.source_id,
    destinationId: end.destination_id,
  })
  return {
    subject: subjects,
    network: subjects.map(() => network),
    timestamp: subjects.map(() => timestamp),
    message_id: subjects.map(() => id),
  }
}

async function writeNotes(
  writer: Writer,
  { key }: MessageChain,
  notes: readonly { id: Uint8Array; fee?: IcmFee; receipt?: boolean }[],
): Promise<void> {
  if (notes.length === 0) return
  const ids = notes.map(({ id }) => id)
  const known = await writer.lookup(
    {
      table: icmSourceNote,
      key: ['message_id', 'chain'],
      select: ['fee_token', 'fee_amount', 'receipt_delivered'],
    },
    [ids, ids.map(() => key)],
  )
  await writer.upsert(icmSourceNote, {
    message_id: ids,
    chain: ids.map(() => key),
    fee_token: notes.map(({ fee }, at) => fee?.token ?? known[at]?.[0] ?? null),
    fee_amount: notes.map(({ fee }, at) =>
      fee === undefined ? (known[at]?.[1] ?? null) : minimal(fee.amount),
    ),
    receipt_delivered: notes.map(({ receipt }, at) =>
      receipt === true || known[at]?.[2] === 1 ? 1 : 0,
    ),
  })
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is its columns
function receiveEnd(chain: MessageChain, log: MessengerLog) {
  const { rewardRedeemer, deliverer, ...received } = provenReceive(log, chain.blockchainId)
  return { ...commonEnd(chain, log, received), reward_redeemer: rewardRedeemer, deliverer }
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is its columns
function commonEnd(chain: MessageChain, log: MessengerLog, of: ProvenMessage) {
  const { message } = of
  return {
    message_id: of.messageId,
    source_id: of.sourceId,
    destination_id: of.destinationId,
    chain: chain.key,
    network: chain.network,
    contract: log.contract,
    nonce: minimal(message.nonce),
    sender: message.sender,
    recipient: message.destination,
    data: message.data,
    receipts: concatBytes(...message.receipts.flatMap(({ nonce, relayer }) => [nonce, relayer])),
    tx_hash: log.txHash,
    timestamp: log.timestamp,
    gas_spent: wideBytes(toBigint(log.gasPrice) * BigInt(log.gasUsed)),
  }
}

function distinct(ids: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(ids.map((id) => [keyOf(id), id])).values()]
}

function minimal(bytes: Uint8Array): Uint8Array {
  let from = 0
  while (from < bytes.length && bytes[from] === 0) from++
  return bytes.subarray(from)
}
