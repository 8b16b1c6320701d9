import type { FrozenTable, Segment } from './segment.ts'

/** A segment as questions use it. */
export type SegmentTables = Pick<Segment, 'name' | 'table'>

/** A question needs a segment that is not here. */
export class SegmentNeeded extends Error {
  readonly segment: string

  constructor(segment: string) {
    super(`segment is not here yet: ${segment}`)
    this.segment = segment
  }
}

/** A segment that may have to be fetched. Throws {@link SegmentNeeded} when it is read and is not here. */
export class AwaitedSegment implements SegmentTables {
  readonly name: string
  readonly #find: () => Segment | undefined
  #segment: Segment | undefined

  constructor(name: string, find: () => Segment | undefined) {
    this.name = name
    this.#find = find
  }

  table(name: string): FrozenTable | undefined {
    this.#segment ??= this.#find()
    if (this.#segment === undefined) throw new SegmentNeeded(this.name)
    return this.#segment.table(name)
  }
}
