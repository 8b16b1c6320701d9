/**
 * Messages that a removed end of a chain told of, written down when that end is removed: their rows
 * are in a store of their own, whose stream takes them back (`icm/take-back.ts`).
 */

import { eventKinds } from '../../../codec/evm/columns.ts'
import { concatBytes, fromHex, toHex } from '../../../core/bytes.ts'
import { u32At, u8At } from '../../../core/item-at.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { cutMessages } from '../../../store/schema/evm.ts'
import type { StoredBatch } from '../write/stored-batch.ts'

/**
 * Cuts kept apart. The stream follows within seconds; older ones are joined, nothing is forgotten.
 */
const maxCuts = 16

const idBytes = 32

const stored = statement('select number, height, message_ids from cut_messages order by number')

/** Adds the ids of the messages that logs of `batch` are about, in hex, to `ids`. */
export function collectMessages({ batch }: StoredBatch, ids: Set<string>): void {
  const { events, arena } = batch
  for (let row = 0; row < events.count; row++) {
    const kind = u8At(events.kind, row)
    const at = u32At(events.topics.offset, row)
    const isMessage = kind >= eventKinds.icmSend && kind <= eventKinds.icmReceipt
    if (isMessage && u32At(events.topics.length, row) >= idBytes)
      ids.add(toHex(arena.subarray(at, at + idBytes)))
  }
}

/** Writes down that `ids` were told of from height `height` on, where rows are gone. */
export async function noteCut(
  writer: Writer,
  height: number,
  ids: ReadonlySet<string>,
): Promise<void> {
  if (ids.size === 0) return
  const rows = await writer.all(stored)
  const number = 1 + Number(rows.at(-1)?.[0] ?? 0)
  await writer.insert(cutMessages, {
    number: [number],
    height: [height],
    message_ids: [concatBytes(...[...ids].map((id) => fromHex(id)))],
  })
  const [oldest, next] = rows
  if (rows.length < maxCuts || oldest === undefined || next === undefined) return
  const parts = [oldest[2], next[2]].filter((part) => part instanceof Uint8Array)
  await writer.upsert(cutMessages, {
    number: [Number(next[0])],
    height: [Math.min(Number(oldest[1]), Number(next[1]))],
    message_ids: [concatBytes(...parts)],
  })
  await writer.remove(cutMessages, { number: [Number(oldest[0])] })
}
