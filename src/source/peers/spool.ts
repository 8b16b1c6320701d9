/**
 * Blocks of one chain that wait for their ancestors: peers give them from the tip down, and they are
 * replayed from the bottom up.
 *
 * They lie in files, compressed, each a stretch of heights without a gap. What lies there was proven
 * once: each block is named by the one above it, and the highest by a tip or checkpoint. So every
 * stretch is also a place to go on from, downwards. When the folder is full the highest blocks make
 * room, and of every some thousand one stays as such a place; they are fetched again when it is
 * their turn.
 */

import { zstdCompressSync } from 'node:zlib'

import { decodePeerMessage, encodePeerMessage } from '../../codec/warp/peer-message.ts'
import { faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Files } from '../../core/world.ts'
import { decompress, maxMessageSize } from '../../peer/frame.ts'

/** Heights `low` to `high`, all there. */
export type Stretch = {
  readonly high: number
  readonly low: number
  /** Bytes on the disk; 0 for one in memory. */
  readonly bytes: number
}

/** Places to go on from are no closer than this. */
const placeEvery = 16_384

/** Stretches of one chain, ascending. */
export class BlockSpool {
  readonly #files: Files
  readonly #folder: string
  #stretches: Stretch[] = []
  readonly #inMemory = new Map<Stretch, readonly Uint8Array[]>()
  /** The one read last: it is read in parts. */
  #read: { readonly stretch: Stretch; readonly items: readonly Uint8Array[] } | undefined
  bytes = 0

  private constructor(files: Files, folder: string) {
    this.#files = files
    this.#folder = folder
  }

  /** The spool in `folder`, with what was there. Throws `store-failed`. */
  static async open(files: Files, folder: string): Promise<BlockSpool> {
    const spool = new BlockSpool(files, folder)
    for (const name of await files.list(folder)) {
      const [, low, high, bytes] = /^(\d+)-(\d+)-(\d+)\.zst$/.exec(name) ?? []
      if (low === undefined) continue
      spool.#insert({ low: Number(low), high: Number(high), bytes: Number(bytes) })
    }
    return spool
  }

  /** The stretch with this height. */
  covering(height: number): Stretch | undefined {
    return this.#stretches.find(({ low, high }) => low <= height && height <= high)
  }

  /** The lowest stretch above a height. */
  above(height: number): Stretch | undefined {
    return this.#stretches.find(({ low }) => low > height)
  }

  /** Stretches above a height with nothing right below them, and where the next one below ends. */
  gaps(height: number): { readonly top: Stretch; readonly floor: number }[] {
    const found: { top: Stretch; floor: number }[] = []
    let end = height
    for (const stretch of this.#stretches) {
      if (stretch.low > end + 1) found.push({ top: stretch, floor: end + 1 })
      end = Math.max(end, stretch.high)
    }
    return found
  }

  /**
   * Keeps blocks, the highest first, which may be views on a larger message. `isKept` ones survive a
   * restart.
   */
  async put(high: number, items: readonly Uint8Array[], isKept: boolean): Promise<Stretch> {
    const low = high - items.length + 1
    if (!isKept) {
      const stretch = { high, low, bytes: 0 }
      this.#inMemory.set(
        stretch,
        items.map((item) => Uint8Array.from(item)),
      )
      return this.#insert(stretch)
    }
    const message = { kind: 'ancestors', chainId: new Uint8Array(), requestId: 0, items } as const
    const packed = zstdCompressSync(encodePeerMessage(message))
    const stretch = { high, low, bytes: packed.length }
    await this.#files.write(this.#path(stretch), packed)
    return this.#insert(stretch)
  }

  /** Blocks of a stretch, the highest first; none where its file is damaged, which is removed. */
  async items(stretch: Stretch): Promise<readonly Uint8Array[]> {
    if (this.#read?.stretch === stretch) return this.#read.items
    const items = this.#inMemory.get(stretch) ?? (await this.#itemsOf(stretch))
    this.#read = { stretch, items }
    return items
  }

  /** Frees the blocks of a stretch that was read to its end: the collector would leave megabytes for long. */
  release(stretch: Stretch): void {
    if (this.#read?.stretch !== stretch || this.#inMemory.has(stretch)) return
    const buffer = this.#read.items[0]?.buffer
    if (buffer instanceof ArrayBuffer) buffer.transfer(0)
    this.#read = undefined
  }

  async #itemsOf(stretch: Stretch): Promise<readonly Uint8Array[]> {
    const packed = await this.#files.read(this.#path(stretch))
    try {
      const message = decodePeerMessage(decompress(packed ?? new Uint8Array(), maxMessageSize))
      const length = stretch.high - stretch.low + 1
      if (message.kind === 'ancestors' && message.items.length === length) return message.items
    } catch (error) {
      if (faultOf(error) === undefined) throw error
    }
    await this.drop(stretch)
    return []
  }

  async drop(stretch: Stretch): Promise<void> {
    this.#stretches = this.#stretches.filter((one) => one !== stretch)
    this.bytes -= stretch.bytes
    if (!this.#inMemory.delete(stretch)) await this.#files.remove(this.#path(stretch))
  }

  /** Drops everything. */
  async clear(): Promise<void> {
    for (const stretch of this.#stretches) await this.drop(stretch)
  }

  /**
   * Makes room for more below `height`: the highest stretch goes, and leaves a place at most. Returns
   * whether there was one.
   */
  async thin(height: number): Promise<boolean> {
    const at = this.#stretches.findLastIndex(({ low, high }) => low > height && high > low)
    if (at < 0) return false
    const stretch = itemAt(this.#stretches, at)
    const [lowest] = (await this.items(stretch)).slice(-1)
    const place = lowest && Uint8Array.from(lowest)
    const next = this.#stretches[at + 1]
    await this.drop(stretch)
    const isFar = next === undefined || next.low - stretch.low >= placeEvery
    if (isFar && place !== undefined) await this.put(stretch.low, [place], true)
    return true
  }

  #insert(stretch: Stretch): Stretch {
    this.#stretches.push(stretch)
    this.#stretches.sort((a, b) => a.low - b.low)
    this.bytes += stretch.bytes
    return stretch
  }

  #path({ low, high, bytes }: Stretch): string {
    return `${this.#folder}/${low}-${high}-${bytes}.zst`
  }
}
