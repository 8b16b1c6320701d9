/**
 * Segments that one transaction adds, each of a batch of blocks. They are made while later batches get their
 * numbers, by whoever makes segments, and named by the manifest together.
 */

import { rmSync } from 'node:fs'

import type { BlockBatch } from '../../../codec/evm/columns.ts'
import { toHex } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { nextFrom } from '../../../store/ice/freeze.ts'
import { GatheredRows } from '../../../store/ice/gathered-rows.ts'
import { writeManifest } from '../../../store/ice/manifest.ts'
import { placeSegment } from '../../../store/ice/segment-writer.ts'
import { type FreezingAtOnce, freezesAtOnce, type ProvenBatch } from '../freeze/freeze-at-once.ts'
import {
  type EndOfBlocks,
  endOfBlocks,
  numberBatch,
  type NumberedBatch,
  writeStanding,
} from '../write/apply-blocks.ts'
import type { Interner } from '../write/intern.ts'
import { makeSegment } from './make-segment.ts'

/** A server ends a transaction that says nothing for a second or three: another process may wait for it. */
const signOfLifeMs = 500
const signOfLife = statement('select 1', { rowsOnly: true })

type Coming = {
  readonly from: number
  readonly until: number
  readonly draft: string
  readonly made: Promise<string>
}

/** Segments of one transaction. */
export class NewSegments {
  readonly #writer: Writer
  readonly #freezing: FreezingAtOnce
  readonly #clock: Clock
  #coming: Coming[] = []
  /** Where the blocks end with the segments that are coming: no manifest names them yet. */
  #end: EndOfBlocks | undefined

  constructor(writer: Writer, freezing: FreezingAtOnce, clock: Clock) {
    this.#writer = writer
    this.#freezing = freezing
    this.#clock = clock
  }

  /** Returns whether a batch becomes a segment. Throws as `freezesAtOnce`. */
  takes(proven: ProvenBatch): Promise<boolean> {
    return freezesAtOnce(this.#writer, proven, this.#freezing, this.#coming.length > 0)
  }

  /**
   * Writes the rows of `batch` that depend on what is stored, and those of `more`; begins its segment.
   * It must be one that {@link NewSegments.takes}. Returns where the blocks ended before. Throws as `applyBlocks`, and what
   * `more` throws.
   */
  async add(
    batch: BlockBatch,
    interner: Interner,
    more: (writer: Writer, numbered: NumberedBatch) => Promise<void>,
  ): Promise<EndOfBlocks> {
    const writer = this.#writer
    const end = this.#end ?? (await this.#begin(batch))
    const rows = new GatheredRows('blocks')
    const into = this.#freezing.ice.serve(rows.writer(writer))
    const numbered = await numberBatch(writer, { batch, end }, interner)
    await writeStanding(into, numbered, interner)
    await more(into, numbered)
    this.#make(numbered, end, rows)
    return end
  }

  /** Waits for all of them, and writes that they are there. Throws as `makeSegment`. */
  async settle(): Promise<void> {
    if (this.#coming.length === 0) return
    const names = await this.#names()
    const entries = this.#coming.map(({ from, until, draft }, at) => {
      const name = names[at]
      assert(name !== undefined, 'each segment has a name')
      placeSegment(draft, name)
      return { stage: 'blocks' as const, from, until, name, tier: 0 }
    })
    const { segments } = await this.#freezing.ice.manifest(this.#writer)
    await writeManifest(this.#writer, [...segments, ...entries])
    this.#leave()
  }

  /** Waits for those that are coming, and takes their files away. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#coming.map(({ made }) => made))
    for (const { draft } of this.#coming) rmSync(draft, { force: true })
    this.#leave()
  }

  /** Names of all of them, once they are made. */
  async #names(): Promise<readonly string[]> {
    const over = new AbortController()
    const names = Promise.all(this.#coming.map(({ made }) => made)).finally(() => over.abort())
    // It is thrown below, not where nobody waits for it yet.
    names.catch(() => undefined)
    while (!over.signal.aborted) {
      await this.#clock.sleep(signOfLifeMs, over.signal).catch(() => undefined)
      if (!over.signal.aborted) await this.#writer.get(signOfLife)
    }
    return names
  }

  async #begin({ from }: BlockBatch): Promise<EndOfBlocks> {
    const writer = this.#writer
    const { ice } = this.#freezing
    const manifest = await ice.manifest(writer)
    const begin = (await nextFrom(writer, manifest, 'blocks')) ?? from
    assert(begin === from, 'blocks follow those that are frozen')
    // Files that a process left which was killed before its commit.
    ice.removeOrphans(manifest)
    return endOfBlocks(writer)
  }

  #make(numbered: NumberedBatch, end: EndOfBlocks, rows: GatheredRows): void {
    const { ice, subject, make = makeSegment } = this.#freezing
    const { from, until, blocks, txs } = numbered.batch
    const hash = blocks.hash.slice(-32)
    const parent = end.checkpoint === undefined ? '' : toHex(blocks.parentHash.subarray(0, 32))
    const draft = ice.draft()
    const made = make({
      numbered,
      gathered: rows.all(),
      subject: { ...subject, from, until, parentHash: parent, lastHash: toHex(hash) },
      draft,
    })
    // Whoever settles or abandons hears of it.
    made.catch(() => undefined)
    this.#coming.push({ from, until, draft, made })
    this.#end = {
      checkpoint: { height: until - 1, hash },
      transactions: numbered.firstTx + txs.count,
    }
  }

  #leave(): void {
    for (const { draft } of this.#coming) this.#freezing.ice.drafted(draft)
    this.#coming = []
    this.#end = undefined
  }
}
