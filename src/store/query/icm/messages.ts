/** Questions about interchain messages. */

import { type Reader, type Row, statement, type Value } from '../../engine/database.ts'
import { bytesAt, integerAt } from '../evm/row-values.ts'
import { listKey, type ListSubject } from './list-subject.ts'

/** One end of a message as stored. */
export type MessageEnd = {
  readonly chain: string
  readonly contract: Uint8Array
  readonly sourceId: Uint8Array
  readonly destinationId: Uint8Array
  readonly nonce: Uint8Array
  readonly sender: Uint8Array
  readonly recipient: Uint8Array
  readonly data: Uint8Array
  /** 32 bytes of nonce and 20 of the relayer each. */
  readonly receipts: Uint8Array
  readonly txHash: Uint8Array
  readonly timestamp: number
  readonly gasSpent: Uint8Array
}

/** The receiving end. */
export type ReceivingEnd = MessageEnd & {
  readonly rewardRedeemer: Uint8Array
  readonly deliverer: Uint8Array
}

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

const endColumns = [
  'chain',
  'contract',
  'source_id',
  'destination_id',
  'nonce',
  'sender',
  'recipient',
  'data',
  'receipts',
  'tx_hash',
  'timestamp',
  'gas_spent',
]
const columns = [
  's.message_id',
  ...endColumns.map((name) => `s.${name}`),
  'r.message_id',
  ...endColumns.map((name) => `r.${name}`),
  'r.reward_redeemer',
  'r.deliverer',
  'e.message_id',
  'n.receipt_delivered',
  'n.fee_token',
  'n.fee_amount',
].join(', ')
const joins = `
  left join icm_send s on s.message_id = l.message_id
  left join icm_receive r on r.message_id = l.message_id
  left join icm_executed e on e.message_id = l.message_id
  left join icm_source_note n on n.message_id = l.message_id`

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
  return { timestamp: end?.timestamp ?? 0, messageId: message.messageId }
}

const receiveAt = endColumns.length + 1
const restAt = 2 * receiveAt

function messageOf(row: Row): MessageRow | undefined {
  const sent = row[0] instanceof Uint8Array ? endOf(row, 1) : undefined
  const received =
    row[receiveAt] instanceof Uint8Array
      ? {
          ...endOf(row, receiveAt + 1),
          rewardRedeemer: bytesAt(row, restAt),
          deliverer: bytesAt(row, restAt + 1),
        }
      : undefined
  const messageId: Value | undefined = sent === undefined ? row[receiveAt] : row[0]
  if (!(messageId instanceof Uint8Array)) return undefined
  const token = row[restAt + 4]
  const amount = row[restAt + 5]
  const hasFee = token instanceof Uint8Array && amount instanceof Uint8Array
  return {
    messageId,
    sent,
    received,
    executed: row[restAt + 2] instanceof Uint8Array,
    receiptDelivered: row[restAt + 3] === 1,
    fee: hasFee ? { token, amount } : undefined,
  }
}

function endOf(row: Row, at: number): MessageEnd {
  const [chain] = row.slice(at)
  return {
    chain: String(chain),
    contract: bytesAt(row, at + 1),
    sourceId: bytesAt(row, at + 2),
    destinationId: bytesAt(row, at + 3),
    nonce: bytesAt(row, at + 4),
    sender: bytesAt(row, at + 5),
    recipient: bytesAt(row, at + 6),
    data: bytesAt(row, at + 7),
    receipts: bytesAt(row, at + 8),
    txHash: bytesAt(row, at + 9),
    timestamp: integerAt(row, at + 10),
    gasSpent: bytesAt(row, at + 11),
  }
}
