/** Last deliveries to webhooks, and messages that were given up. */

import { type Reader, statement, type Writer } from '../../engine/database.ts'
import { deadLetter, webhookPlace } from '../../schema/events.ts'
import { integer, maybe, type RowOf, storedRow, text } from '../stored-row.ts'

const placeRow = storedRow({
  number: integer('number'),
  /** Everything before this place was sent. */
  pos: integer('pos'),
  /** Number of the next message of `pos` itself, from 0. */
  index: integer('message_index'),
  /** Number of attempts at the next one. */
  attempts: integer('attempts'),
  /** Milliseconds since 1970 from which it may be tried again. */
  dueMs: integer('due_ms'),
  /** Messages before this place were requested again. */
  replayUntil: integer('replay_until'),
  /** Messages given up in a row. */
  dead: integer('dead'),
  /** Why the last attempt failed. */
  problem: maybe(text('problem')),
})
/** Where a webhook stands. */
export type WebhookPlace = RowOf<typeof placeRow>

const letterRow = storedRow({
  number: integer('number'),
  pos: integer('pos'),
  index: integer('message_index'),
  messageId: text('message_id'),
  attempts: integer('attempts'),
  failedMs: integer('failed_ms'),
  problem: text('problem'),
})
/** A message that was given up. */
export type DeadLetter = RowOf<typeof letterRow>

const placeOf = placeRow.statement(
  (columns) => `select ${columns} from webhook_place where number = ?`,
)
const deadOf = letterRow.statement(
  (columns) => `select ${columns} from dead_letter
   where number = ? and (pos < ? or (pos = ? and message_index < ?))
   order by pos desc, message_index desc limit ?`,
)
const forgetOldest = statement(
  `delete from dead_letter where number = ? and pos < (
     select min(pos) from (select pos from dead_letter where number = ?
       order by pos desc limit ?) kept)`,
)

/** Where a webhook stands; `undefined` for one that is sent nothing. One seek. */
export async function webhookPlaceOf(
  reader: Reader,
  number: number,
): Promise<WebhookPlace | undefined> {
  return placeRow.first(reader, placeOf, [number])
}

/** Writes where a webhook stands. */
export async function writePlace(writer: Writer, place: WebhookPlace): Promise<void> {
  await writer.upsert(webhookPlace, {
    number: [place.number],
    pos: [place.pos],
    message_index: [place.index],
    attempts: [place.attempts],
    due_ms: [place.dueMs],
    replay_until: [place.replayUntil],
    dead: [place.dead],
    problem: [place.problem ?? null],
  })
}

/** Keeps a message that was given up; the newest `limit` of a webhook are kept. */
export async function addDeadLetter(
  writer: Writer,
  letter: DeadLetter,
  limit: number,
): Promise<void> {
  await writer.upsert(deadLetter, {
    number: [letter.number],
    pos: [letter.pos],
    message_index: [letter.index],
    message_id: [letter.messageId],
    attempts: [letter.attempts],
    failed_ms: [letter.failedMs],
    problem: [letter.problem],
  })
  await writer.run(forgetOldest, [letter.number, letter.number, limit])
}

/**
 * Messages of a webhook that were given up, newest first, before `before`. One range of the key.
 */
export async function deadLetters(
  reader: Reader,
  query: {
    readonly number: number
    readonly before: { readonly pos: number; readonly index: number } | undefined
    readonly limit: number
  },
): Promise<DeadLetter[]> {
  const { pos, index } = query.before ?? { pos: Number.MAX_SAFE_INTEGER, index: 0 }
  return letterRow.all(reader, deadOf, [query.number, pos, pos, index, query.limit])
}
