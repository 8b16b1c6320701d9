/**
 * Receipts of blocks whose own header does not commit to them, because execution comes after
 * acceptance (saevm, the C-Chain after Helicon): the header of a later block does.
 *
 * The receipts root of a header is there that of the receipts of the blocks it settles, joined:
 * those after its parent's `settledHeight` up to its own. The parent of the first such header has
 * none and is settled itself. Source: ACP-194; avalanchego vms/saevm/blocks/settlement.go; recorded
 * blocks.
 *
 * Blocks come here in the order of heights, once they link. Receipts are kept from then until they
 * are settled, which takes seconds on a chain that goes on.
 */

import { isHexOf, hexNumber } from '../../../codec/evm/hex.ts'
import {
  joinedRoot,
  packReceipts,
  type PackedReceipts,
} from '../../../codec/evm/proof/check-receipts.ts'
import type { RawUnit } from '../../../codec/evm/raw.ts'
import { dropOldest } from '../../../core/bounded-maps.ts'
import { toHex } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import type { StoredSettlement } from '../../../store/query/evm/heights.ts'

/** Facts that are kept of one block. */
export type SettlingBlock = {
  readonly height: number
  /** The endpoint that gave it. */
  readonly origin: string
  readonly settledHeight: number
  readonly receiptsRoot: unknown
  readonly receipts: PackedReceipts
}

/** Blocks whose receipts differ from those a later header commits to. */
export type Unsettled = {
  /** First height that may be wrong. */
  readonly from: number
  readonly reason: string
  /** Endpoints of the blocks that may be wrong, and of the header. */
  readonly origins: readonly string[]
}

/** Blocks waiting to be settled. A chain settles within seconds: this many are hours of one. */
const maxWaiting = 8_192

/**
 * So many settled blocks are remembered with how far they settled, in case later ones are read
 * again.
 */
const remembered = 4_096

/** Settlement in `units` from height `from` on; undefined on chains that have none. */
export function settlingBlocks(
  units: readonly RawUnit[],
  from: number,
  origin: string,
): readonly SettlingBlock[] {
  const blocks: SettlingBlock[] = []
  for (const [at, { block, receipts }] of units.entries()) {
    if (block.settledHeight === undefined) continue
    blocks.push({
      height: from + at,
      origin,
      settledHeight: hexNumber(block.settledHeight, 'settled height'),
      receiptsRoot: block.receiptsRoot,
      receipts: packReceipts(receipts),
    })
  }
  return blocks
}

/** Hex of a sum over the receipts of a block. */
export function sumOfReceipts({ bytes }: PackedReceipts): string {
  return toHex(sha256(bytes))
}

/** Proves receipts of one chain when the headers that commit to them come. */
export class Settlement {
  /** Not settled yet, by height. */
  readonly #waiting = new Map<number, SettlingBlock>()
  /** Height that the header of each of the last heights settles. */
  readonly #settled = new Map<number, number>()
  /** Of stored blocks, those that the header of the last one leaves unsettled. */
  #stored: readonly SettlingBlock[] = []
  #proven: number | undefined
  /** Height of the last header that refuted others; -1 when none did. */
  #refuted = -1

  /** True when blocks execute after acceptance; undefined before one was seen. */
  isUsed: boolean | undefined

  /** Up to which height receipts are proven; undefined where each block proves its own. */
  get provenHeight(): number | undefined {
    return this.#proven
  }

  /** First height that is not proven yet; undefined where each block proves its own. */
  get heldFrom(): number | undefined {
    if (this.#proven === undefined && !this.isRefuted) return undefined
    return (this.#proven ?? -1) + 1
  }

  /** Returns whether receipts were refuted that are not proven since. */
  get isRefuted(): boolean {
    return this.#refuted > (this.#proven ?? -1)
  }

  /**
   * Takes the blocks that follow, of one range `[from, until)`; those without settlement are left
   * out of `blocks`. Returns the first problem, and then forgets all blocks from that height on.
   */
  link(
    range: { readonly from: number; readonly until: number },
    blocks: readonly SettlingBlock[],
  ): Unsettled | undefined {
    const first = blocks[0]
    this.isUsed = this.isUsed === true || first !== undefined
    // Blocks before the first one that settles have proven themselves.
    if (first !== undefined && first.height > range.from)
      this.#settled.set(first.height - 1, first.height - 1)
    for (const block of blocks) {
      const wrong = this.#take(block)
      if (wrong === undefined) continue
      this.forget(Math.min(wrong.from, range.from))
      this.#refuted = Math.max(this.#refuted, block.height)
      return wrong
    }
    if (first === undefined) this.#settled.set(range.until - 1, range.until - 1)
    dropOldest(this.#settled, remembered)
    dropOldest(this.#waiting, maxWaiting)
    return undefined
  }

  #take(block: SettlingBlock): Unsettled | undefined {
    const { height, settledHeight } = block
    const before = this.#settled.get(height - 1)
    this.#settled.set(height, settledHeight)
    this.#waiting.set(height, block)
    // After a start the receipts of blocks that were stored before are not here.
    if (before === undefined) return undefined
    const settled: SettlingBlock[] = []
    for (let at = before + 1; at <= settledHeight; at++) {
      const one = this.#waiting.get(at)
      if (one === undefined) return undefined
      settled.push(one)
    }
    const isOrdered = settledHeight >= before && settledHeight < height
    const root = joinedRoot(settled.map(({ receipts }) => receipts))
    if (!isOrdered || !isHexOf(block.receiptsRoot, root))
      return {
        from: Math.min(before + 1, height),
        reason: `receipts of blocks ${before + 1} to ${settledHeight} are not those that block ${height} settles`,
        origins: [...new Set([...settled, block].map(({ origin }) => origin))],
      }
    for (const { height: at } of settled) this.#waiting.delete(at)
    this.#proven = settledHeight
    return undefined
  }

  /**
   * `blocks`, which follow those of the last call, are being stored. Returns what a restart must
   * know then; undefined where each block proves its own receipts.
   */
  storing(blocks: readonly SettlingBlock[]): StoredSettlement | undefined {
    const all = [...this.#stored, ...blocks]
    const last = all.at(-1)
    if (last === undefined) return undefined
    this.#stored = all.filter(({ height }) => height > last.settledHeight)
    return {
      at: last.height,
      settles: last.settledHeight,
      proven: Math.min(last.height, this.#proven ?? last.settledHeight),
      unsettled: this.#stored.map(({ height, receipts }) => [height, sumOfReceipts(receipts)]),
    }
  }

  /**
   * Blocks go on after the stored height `last`. Returns whether the stored blocks that its header
   * leaves unsettled are in memory.
   */
  resume(last: number): boolean {
    this.forget(last + 1)
    this.#stored = this.#stored.filter(({ height }) => height <= last)
    const newest = this.#stored.at(-1)
    if (newest?.height !== last) return false
    this.#await(newest.settledHeight, last)
    return true
  }

  /** As `resume`, with blocks that were read again after a restart. */
  restore(stored: StoredSettlement, blocks: readonly SettlingBlock[]): void {
    this.isUsed = true
    this.#stored = blocks
    this.#proven = stored.proven
    this.#await(stored.settles, stored.at)
  }

  #await(settles: number, last: number): void {
    this.#settled.set(last, settles)
    for (const block of this.#stored) this.#waiting.set(block.height, block)
  }

  /** Forgets blocks from height `from` on: they are read again. */
  forget(from: number): void {
    if (this.#proven !== undefined) this.#proven = Math.min(this.#proven, from - 1)
    for (const height of this.#settled.keys()) if (height >= from) this.#settled.delete(height)
    for (const height of this.#waiting.keys()) if (height >= from) this.#waiting.delete(height)
  }
}
