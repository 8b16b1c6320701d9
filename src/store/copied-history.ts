/**
 * Knowledge of a history that came from a snapshot: one row of `meta`, which is there until all of
 * it was recomputed from this deployment's own node.
 */

import { Fault } from '../core/fault.ts'
import { isObject, jsonOf } from '../core/json.ts'
import type { Reader, Writer } from './engine/database.ts'
import { isHeight } from './history/manifest.ts'
import { metaText, putMeta } from './meta.ts'
import { firstHeight, indexedHeight } from './query/evm/heights.ts'
import { copiedName, meta } from './schema/control.ts'

/** A comparison of copied segments with those that a node's blocks make, as far as it came. */
export type CopiedCheck = {
  /** Segments of each hundred that it compares, 100: all. */
  readonly percent: number
  /** Seed of the choice, hex. The maker of the copy does not know it. */
  readonly seed: string
  /** Of each stage, the height below which all segments that it compares were compared. */
  readonly next: { readonly blocks: number; readonly traces: number; readonly logs?: undefined }
  /** Blocks in those that were. */
  readonly compared: number
  /** True once it is done. */
  readonly isDone: boolean
}

/** A history that was copied: heights `[from, until)`. */
export type CopiedHistory = {
  readonly from: number
  readonly until: number
  /** Blocks that a comparison which was done has confirmed. */
  readonly confirmed: number
  /** Absent before the first one. */
  readonly check?: CopiedCheck | undefined
  /** Rows that could not be compared, and why; absent where there are none. */
  readonly without?: string | undefined
  /** The difference that was found; such a history is not used. */
  readonly refused?: string | undefined
}

/**
 * The knowledge of the copied history of a store; `undefined` where it has none. Throws `store-failed`
 * where that is damaged. Cost: one look-up by key.
 */
export async function copiedHistory(reader: Reader): Promise<CopiedHistory | undefined> {
  const text = await metaText(reader, copiedName)
  return text === undefined ? undefined : parseCopied(text)
}

/** Writes it down. */
export async function writeCopied(writer: Writer, copied: CopiedHistory): Promise<void> {
  await putMeta(writer, { [copiedName]: JSON.stringify(copied) })
}

/** All of it was recomputed: nothing in the store says any more that it was copied. */
export async function forgetCopied(writer: Writer): Promise<void> {
  await writer.remove(meta, { name: [copiedName] })
}

/**
 * Says of a whole store that its history was copied and that nothing of it is known, whatever it said
 * before. A store without blocks has none.
 */
export async function markCopied(writer: Writer): Promise<void> {
  const last = await indexedHeight(writer, 'blocks')
  const from = await firstHeight(writer)
  if (last === -1 || from === undefined) await forgetCopied(writer)
  else await writeCopied(writer, { from, until: last + 1, confirmed: 0 })
}

/**
 * The part that is left of a copied history once all from height `until` on was taken away; rows that
 * were counted may be among it, so a comparison begins anew.
 */
export function cutCopied(copied: CopiedHistory, until: number): CopiedHistory | undefined {
  if (until >= copied.until) return copied
  if (until <= copied.from) return undefined
  const { check: _counted, ...rest } = copied
  return { ...rest, until, confirmed: Math.min(copied.confirmed, until - copied.from) }
}

/** Share of the copied blocks that were compared and are as the node gives them, 0 to 1. */
export function confirmedShare({ from, until, confirmed, check }: CopiedHistory): number {
  const compared = Math.max(confirmed, check?.compared ?? 0)
  return Math.min(1, compared / Math.max(1, until - from))
}

function parseCopied(text: string): CopiedHistory {
  const value = jsonOf(text)
  if (!isObject(value)) throw damaged()
  const { from, until, confirmed, check, without, refused } = value
  if (!isHeight(from) || !isHeight(until) || !isHeight(confirmed)) throw damaged()
  return {
    from,
    until,
    confirmed,
    check: check === undefined ? undefined : parseCheck(check),
    without: typeof without === 'string' ? without : undefined,
    refused: typeof refused === 'string' ? refused : undefined,
  }
}

function parseCheck(value: unknown): CopiedCheck {
  if (!isObject(value)) throw damaged()
  const { percent, seed, next, compared, isDone } = value
  if (!isHeight(percent) || typeof seed !== 'string' || !isObject(next)) throw damaged()
  const { blocks, traces } = next
  if (!isHeight(blocks) || !isHeight(traces)) throw damaged()
  if (!isHeight(compared) || typeof isDone !== 'boolean') throw damaged()
  return { percent, seed, next: { blocks, traces }, compared, isDone }
}

function damaged(): Fault {
  return new Fault('store-failed', 'what the store says of its copied history is damaged')
}
