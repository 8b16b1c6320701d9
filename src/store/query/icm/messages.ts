/** Questions about interchain messages. */

import { assert } from '../../../core/fault.ts'
import { type Reader, type Row, statement } from '../../engine/database.ts'
import { bytes, flag, integer, maybe, type RowOf, storedRow, text } from '../stored-row.ts'
import { listKey, type ListSubject } from './list-subject.ts'

/** One end of a message as stored in a table with this alias. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is its declaration
function endColumns(alias: 's' | 'r') {
  return {
    chain: text(`${alias}.chain`),
    contract: bytes(`${alias}.contract`),
    sourceId: bytes(`${alias}.source_id`),
    destinationId: bytes(`${alias}.destination_id`),
    nonce: bytes(`${alias}.nonce`),
    sender: bytes(`${alias}.sender`),
    recipient: bytes(`${alias}.recipient`),
    data: bytes(`${alias}.data`),
    /** 32 bytes of nonce and 20 of the relayer each. */
    receipts: bytes(`${alias}.receipts`),
    txHash: bytes(`${alias}.tx_hash`),
    timestamp: integer(`${alias}.timestamp`),
    gasSpent: bytes(`${alias}.gas_spent`),
  }
}
const sentRow = storedRow(endColumns('s'))
const receivedRow = storedRow({
  ...endColumns('r'),
  rewardRedeemer: bytes('r.reward_redeemer'),
  deliverer: bytes('r.deliverer'),
})
/** Facts about a message beside its ends. */
const noteRow = storedRow({
  sentId: maybe(bytes('s.message_id')),
  receivedId: maybe(bytes('r.message_id')),
  executedId: maybe(bytes('e.message_id')),
  receiptDelivered: maybe(flag('n.receipt_delivered')),
  feeToken: maybe(bytes('n.fee_token')),
  feeAmount: maybe(bytes('n.fee_amount')),
})

/** One end of a message. */
export type MessageEnd = RowOf<typeof sentRow>
/** The receiving end. */
export type ReceivingEnd = RowOf<typeof receivedRow>

/** A message with whatever is known of it; at least one end is. */
export type MessageRow = {
  readonly messageId: Uint8Array
  readonly sent: MessageEnd | undefined
  readonly received: ReceivingEnd | undefined
  readonly executed: boolean
  readonly receiptDelivered: boolean
  readonly fee: { readonly token: Uint8Array; readonly amount: Uint8Array } | undefined
}

/** Place in a list: where the last page ended. */
export type MessagePlace = { readonly timestamp: number; readonly messageId: Uint8Array }

const parts = [noteRow.names, sentRow.names, receivedRow.names]
const columns = parts.flat().join(', ')
const sentAt = noteRow.names.length
const receivedAt = sentAt + sentRow.names.length
const joins = `
  left join icm_send s on s.message_id = l.message_id
  left join icm_receive r on r.message_id = l.message_id
  left join icm_executed e on e.message_id = l.message_id
  left join icm_source_note n on n.message_id = l.message_id and n.chain = s.chain`

const listed = statement(
  `select ${columns} from icm_list l ${joins}
   where l.subject = ? and l.network = ? and (l.timestamp < ? or (l.timestamp = ? and l.message_id < ?))
   order by l.timestamp desc, l.message_id desc limit ?`,
)
const single = statement(`select ${columns} from (select ? as message_id) l ${joins}`, {
  postgres: `select ${columns} from (select cast(? as bytea) as message_id) l ${joins}`,
})

// Above every id there is: the first page begins here.
const topId = new Uint8Array(33).fill(255)

/**
 * Messages of a list on `network` (0 mainnet, 1 test) strictly after `after`, newest first.
 *
 * Cost: one range of the list's key, four look-ups by key a message.
 */
export async function listMessages(
  store: Reader,
  query: {
    readonly subject: ListSubject
    readonly network: number
    readonly after: MessagePlace | undefined
    readonly limit: number
  },
): Promise<MessageRow[]> {
  const { timestamp, messageId } = query.after ?? { timestamp: 2 ** 52, messageId: topId }
  const rows = await store.all(listed, [
    listKey(query.subject),
    query.network,
    timestamp,
    timestamp,
    messageId,
    query.limit,
  ])
  return rows.flatMap((row) => messageOf(row) ?? [])
}

/** One message by its id, 32 bytes. */
export async function getMessage(
  store: Reader,
  messageId: Uint8Array,
): Promise<MessageRow | undefined> {
  const row = await store.get(single, [messageId])
  return row === undefined ? undefined : messageOf(row)
}

/** When a list shows the message: when it was sent or, where that is unknown, received. */
export function placeOfMessage(message: MessageRow): MessagePlace {
  const end = message.sent ?? message.received
  assert(end !== undefined, 'a message was sent or received')
  return { timestamp: end.timestamp, messageId: message.messageId }
}

function messageOf(row: Row): MessageRow | undefined {
  const { sentId, receivedId, executedId, receiptDelivered, ...note } = noteRow.read(row)
  const messageId = sentId ?? receivedId
  if (messageId === undefined) return undefined
  const { feeToken: token, feeAmount: amount } = note
  return {
    messageId,
    sent: sentId && sentRow.read(row.slice(sentAt)),
    received: receivedId && receivedRow.read(row.slice(receivedAt)),
    executed: executedId !== undefined,
    receiptDelivered: receiptDelivered ?? false,
    fee: token === undefined || amount === undefined ? undefined : { token, amount },
  }
}

// Messages counted by hour.

/** An hour of one pair of blockchains; `hour` is its first second. */
const hourRow = storedRow({
  hour: integer('hour'),
  source: bytes('source_id'),
  destination: bytes('destination_id'),
  /** Sent for the first time, and received. */
  sent: integer('sent'),
  received: integer('received'),
})
/** One hour. */
export type MessageHour = RowOf<typeof hourRow>

/** Hours of a network, of all messages or of those with these ends. */
type HourQuery = {
  /** 0 mainnet, 1 the test network. */
  readonly network: number
  readonly source?: Uint8Array | undefined
  readonly destination?: Uint8Array | undefined
}

const question = hourRow.statement(
  (columns) => `select ${columns} from icm_hour
   where network = ? and (? = 0 or source_id = ?)
     and (? = 0 or destination_id = ?)
   order by hour`,
)

/**
 * Hours with messages, oldest first. Cost: one range, a row for each pair and hour with messages.
 */
export async function messageHours(store: Reader, query: HourQuery): Promise<MessageHour[]> {
  const { network, source, destination } = query
  const none = new Uint8Array()
  return hourRow.all(store, question, [
    network,
    source === undefined ? 0 : 1,
    source ?? none,
    destination === undefined ? 0 : 1,
    destination ?? none,
  ])
}
