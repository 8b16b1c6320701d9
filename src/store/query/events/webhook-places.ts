/** How far webhooks were told, and what was given up. */

import { type Reader, type Row, statement, type Writer } from '../../engine/database.ts'
import { deadLetter, webhookPlace } from '../../schema/events.ts'

/** Where a webhook stands. */
export type WebhookPlace = {
  readonly number: number
  /** Everything before this place was told. */
  readonly pos: number
  /** Messages of `pos` itself that were told. */
  readonly told: number
  /** How often the next one was tried. */
  readonly attempts: number
  /** Milliseconds since 1970 from which it may be tried again. */
  readonly dueMs: number
  /** Messages before this place were asked for again. */
  readonly replayUntil: number
  /** Messages given up in a row. */
  readonly dead: number
  /** Why the last attempt failed. */
  readonly problem: string | undefined
}

/** A message that was given up. */
export type DeadLetter = {
  readonly number: number
  readonly pos: number
  readonly told: number
  readonly messageId: string
  readonly attempts: number
  readonly failedMs: number
  readonly problem: string
}

const placeOf = statement(
  `select number, pos, told, attempts, due_ms, replay_until, dead, problem
   from webhook_place where number = ?`,
)
const deadOf = statement(
  `select number, pos, told, message_id, attempts, failed_ms, problem from dead_letter
   where number = ? and (pos < ? or (pos = ? and told < ?))
   order by pos desc, told desc limit ?`,
)
const forgetOldest = statement(
  `delete from dead_letter where number = ? and pos < (
     select min(pos) from (select pos from dead_letter where number = ?
       order by pos desc limit ?) kept)`,
)

/** Where a webhook stands; `undefined` for one that is not told of anything. One seek. */
export async function webhookPlaceOf(
  reader: Reader,
  number: number,
): Promise<WebhookPlace | undefined> {
  const row = await reader.get(placeOf, [number])
  return row === undefined ? undefined : placeOfRow(row)
}

/** Writes where a webhook stands. */
export async function writePlace(writer: Writer, place: WebhookPlace): Promise<void> {
  await writer.upsert(webhookPlace, {
    number: [place.number],
    pos: [place.pos],
    told: [place.told],
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
    told: [letter.told],
    message_id: [letter.messageId],
    attempts: [letter.attempts],
    failed_ms: [letter.failedMs],
    problem: [letter.problem],
  })
  await writer.run(forgetOldest, [letter.number, letter.number, limit])
}

/** Messages of a webhook that were given up, newest first, before `before`. One range of the key. */
export async function deadLetters(
  reader: Reader,
  query: {
    readonly number: number
    readonly before: { readonly pos: number; readonly told: number } | undefined
    readonly limit: number
  },
): Promise<DeadLetter[]> {
  const { pos, told } = query.before ?? { pos: Number.MAX_SAFE_INTEGER, told: 0 }
  const rows = await reader.all(deadOf, [query.number, pos, pos, told, query.limit])
  return rows.map((row) => ({
    number: Number(row[0]),
    pos: Number(row[1]),
    told: Number(row[2]),
    messageId: String(row[3]),
    attempts: Number(row[4]),
    failedMs: Number(row[5]),
    problem: String(row[6]),
  }))
}

function placeOfRow(row: Row): WebhookPlace {
  return {
    number: Number(row[0]),
    pos: Number(row[1]),
    told: Number(row[2]),
    attempts: Number(row[3]),
    dueMs: Number(row[4]),
    replayUntil: Number(row[5]),
    dead: Number(row[6]),
    problem: row[7] === null || row[7] === undefined ? undefined : String(row[7]),
  }
}
