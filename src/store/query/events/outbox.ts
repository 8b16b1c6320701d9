/** Rows of the outbox of one chain. */

import { type Reader, statement, type Value, type Writer } from '../../engine/database.ts'
import { outbox, outboxLedger, outboxWebhook } from '../../schema/events.ts'
import type { WebhookLedger } from './watch.ts'

/** Extent of the outbox of a ledger. */
export type OutboxState = { readonly until: number; readonly changes: number }

const stateOf = statement('select until, changes from outbox_ledger where ledger = ?')
const everyLedger = statement('select ledger, changes from outbox_ledger order by ledger')
const everyWebhook = statement('select webhook, since from outbox_webhook')
const sinceOf = statement('select since from outbox_webhook where webhook = ?')
const nextRows = statement(
  'select pos from outbox where webhook = ? and pos >= ? order by pos limit ?',
)
const forgetRows = statement('delete from outbox where webhook = ? and pos < ?')
const cutRows = statement('delete from outbox where pos >= ?')
const cutLedgers = statement('update outbox_ledger set until = ? where until > ?')

/** State of a ledger; `undefined` before anything was collected. One seek. */
export async function outboxState(
  reader: Reader,
  ledger: WebhookLedger,
): Promise<OutboxState | undefined> {
  const row = await reader.get(stateOf, [ledger])
  return row === undefined ? undefined : { until: row[0], changes: row[1] }
}

/** A word that is another whenever a commit collected something. A row a ledger. */
export async function outboxMark(reader: Reader): Promise<string> {
  return (await reader.all(everyLedger)).flat().join()
}

/** Webhooks that are collected for, and from which place on their rows are complete. */
export async function collected(reader: Reader): Promise<ReadonlyMap<number, number>> {
  const rows = await reader.all(everyWebhook)
  return new Map(rows.map(([number, since]) => [number, since]))
}

/** From which place on the rows of a webhook are complete; `undefined`: none are collected. */
export async function collectedSince(reader: Reader, number: number): Promise<number | undefined> {
  return (await reader.get(sinceOf, [number]))?.[0]
}

/** Places of a webhook from `from` on. One range of the key. */
export async function outboxPlaces(
  reader: Reader,
  {
    number,
    from,
    limit,
  }: { readonly number: number; readonly from: number; readonly limit: number },
): Promise<number[]> {
  const rows = await reader.all(nextRows, [number, from, limit])
  return rows.map(([pos]) => pos)
}

/** Adds places of a webhook; those that are there stay. */
export async function addPlaces(
  writer: Writer,
  number: number,
  places: readonly number[],
): Promise<void> {
  if (places.length === 0) return
  await writer.insertNew(outbox, { webhook: places.map(() => number), pos: [...places] })
}

/** Writes how far the outbox of a ledger goes. */
export async function moveOutbox(
  writer: Writer,
  ledger: WebhookLedger,
  state: OutboxState,
): Promise<void> {
  const { until, changes } = state
  await writer.upsert(outboxLedger, { ledger: [ledger], until: [until], changes: [changes] })
}

/** Begins to collect for webhooks, or moves where their rows begin. */
export async function noteCollected(
  writer: Writer,
  since: ReadonlyMap<number, number>,
): Promise<void> {
  if (since.size === 0) return
  await writer.upsert(outboxWebhook, { webhook: [...since.keys()], since: [...since.values()] })
}

/** Ends collecting for a webhook and removes its rows. */
export async function forgetWebhook(writer: Writer, number: number): Promise<void> {
  await writer.run(forgetRows, [number, Number.MAX_SAFE_INTEGER])
  await writer.remove(outboxWebhook, { webhook: [number] })
}

/** Removes rows of a webhook before `pos`, which are older than they are kept. */
export async function forgetBefore(writer: Writer, number: number, pos: number): Promise<void> {
  await writer.run(forgetRows, [number, pos])
}

/** Removes the rows from place `from` on, whose blocks are read again. */
export async function cutOutbox(writer: Writer, from: number): Promise<void> {
  const values: Value[] = [from]
  await writer.run(cutRows, values)
  await writer.run(cutLedgers, [from, from])
}
