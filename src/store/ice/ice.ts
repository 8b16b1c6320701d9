/**
 * The frozen history of one open store: where its segments lie, which are open, and how statements
 * are answered from them.
 */

import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import type { Reader, Statement } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { type Manifest, parseManifest, readManifest } from './manifest.ts'
import { type Plan, type PlannedTables, planOf } from './plan.ts'
import { draftEnding, segmentEnding } from './segment-writer.ts'
import { Segment } from './segment.ts'
import type { SegmentRange } from './walk-segments.ts'

const served = new WeakMap<Reader, Ice>()

/** The segments that `reader` reads besides its tables; `undefined` where none of it freezes. */
export function iceOf(reader: Reader): Ice | undefined {
  return served.get(reader)
}

/** Segments of a store. */
export class Ice {
  readonly #folder: string
  readonly #tables: PlannedTables
  readonly #plans = new WeakMap<Statement, { readonly plan: Plan | undefined }>()
  readonly #segments = new Map<string, Segment>()
  #manifest = parseManifest('')
  #opened: { readonly text: string; readonly ranges: readonly SegmentRange[] } | undefined

  /** Segments of a store with `tables` lie in `folder`. */
  constructor(folder: string, tables: readonly Table[]) {
    this.#folder = folder
    this.#tables = {
      all: new Map(tables.map((table) => [table.name, table])),
      freezing: new Set(
        tables.filter(({ freezes }) => freezes !== undefined).map(({ name }) => name),
      ),
    }
  }

  /** Says that `reader` reads these segments. */
  serve<R extends Reader>(reader: R): R {
    served.set(reader, this)
    return reader
  }

  /** The plan of a statement; `undefined` where it asks for nothing that freezes. */
  planOf(question: Statement): Plan | undefined {
    if (question.rowsOnly === true) return undefined
    const known = this.#plans.get(question)
    if (known !== undefined) return known.plan
    const plan = planOf(question, this.#tables)
    this.#plans.set(question, { plan })
    return plan
  }

  /** The manifest that was read last. */
  get known(): Manifest {
    return this.#manifest
  }

  /** The manifest as `reader` sees it. Cost: one look-up by key. */
  async manifest(reader: Reader): Promise<Manifest> {
    const read = await readManifest(reader)
    if (read.text !== this.#manifest.text) this.#manifest = read
    return this.#manifest
  }

  /** The segments of a manifest, open. Throws `store-failed` for one that is missing or damaged. */
  open({ segments, text }: Manifest): readonly SegmentRange[] {
    if (this.#opened?.text === text) return this.#opened.ranges
    const ranges = segments.map(({ from, until, name }) => ({
      from,
      until,
      segment: this.segment(name),
    }))
    this.#opened = { text, ranges }
    return ranges
  }

  /** The segment `name`, open. */
  segment(name: string): Segment {
    const known = this.#segments.get(name)
    if (known !== undefined) return known
    const segment = new Segment(this.pathOf(name))
    if (segment.name !== name) {
      segment.close()
      throw new Fault('store-failed', `segment has another content than its name: ${name}`)
    }
    this.#segments.set(name, segment)
    return segment
  }

  /** The file of a segment. */
  pathOf(name: string): string {
    return join(this.#folder, name + segmentEnding)
  }

  /** A file to write a new segment into. */
  draft(): string {
    mkdirSync(this.#folder, { recursive: true })
    return join(this.#folder, `new${draftEnding}`)
  }

  /** Takes files away that no manifest names. Only the writer of the store may. */
  removeOrphans({ segments }: Manifest): void {
    if (!existsSync(this.#folder)) return
    const named = new Set(segments.map(({ name }) => name + segmentEnding))
    for (const file of readdirSync(this.#folder)) {
      const isOurs = file.endsWith(segmentEnding) || file.endsWith(draftEnding)
      if (isOurs && !named.has(file)) rmSync(join(this.#folder, file), { force: true })
    }
  }

  /** Bytes of the segments of the manifest that was read last. */
  sizeBytes(): number {
    const sizes = this.#manifest.segments.map(
      ({ name }) => statSync(this.pathOf(name), { throwIfNoEntry: false })?.size ?? 0,
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  close(): void {
    for (const segment of this.#segments.values()) segment.close()
    this.#segments.clear()
    this.#opened = undefined
  }
}
