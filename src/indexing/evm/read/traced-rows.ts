/**
 * Stored transactions that traces are held against, read ahead of them.
 *
 * The store answers between two commits, which take a second each while it is filled: read block by
 * block, traces would come at the speed of commits.
 */

import { Fault } from '../../../core/fault.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import type { TracedRow } from '../../../store/query/evm/transactions.ts'

/** Blocks of the first question; then as many as have about this many transactions. */
const firstBlocks = 32
const goodRows = 8_192
const mostBlocks = 4_096

/** Answers kept: one or two that fetches under way need, and the one after them. */
const keptAnswers = 3

type Answer = {
  readonly range: HeightRange
  readonly byHeight: Promise<ReadonlyMap<number, readonly TracedRow[]>>
}

/** Rows of one chain by height, while its traces are read upwards. */
export class TracedRows {
  readonly #read: (range: HeightRange) => Promise<readonly TracedRow[]>
  #answers: Answer[] = []
  #blocks = firstBlocks

  /** `read` gives the rows of a range of stored heights, in order. */
  constructor(read: (range: HeightRange) => Promise<readonly TracedRow[]>) {
    this.#read = read
  }

  /**
   * Rows of heights `[range.from, range.until)`, in order; blocks are stored up to `head`. Throws
   * what reading throws.
   */
  async of(range: HeightRange, head: number): Promise<readonly TracedRow[]> {
    const rows: TracedRow[] = []
    for (let height = range.from; height < range.until; height++)
      rows.push(...((await this.#answerAt(height, head).byHeight).get(height) ?? []))
    return rows
  }

  /** Forgets the rows read, because traces do not match them. */
  forget(): void {
    this.#answers = []
  }

  /** The answer that has `height`; the one after it is requested once half of it is used. */
  #answerAt(height: number, head: number): Answer {
    if (height > head)
      throw new Fault('node-not-yet', `a block is not stored yet: ${height}`, {
        detail: { height },
      })
    const answer = this.#known(height) ?? this.#request(height, head)
    const { from, until } = answer.range
    const isHalfUsed = height - from >= (until - from) / 2
    if (isHalfUsed && until <= head && this.#known(until) === undefined) this.#request(until, head)
    return answer
  }

  #known(height: number): Answer | undefined {
    return this.#answers.find(({ range }) => range.from <= height && height < range.until)
  }

  #request(from: number, head: number): Answer {
    const range = { from, until: Math.min(from + this.#blocks, head + 1) }
    const answer: Answer = { range, byHeight: this.#byHeight(range) }
    this.#answers = [answer, ...this.#answers].slice(0, keptAnswers)
    // A question that failed is sent again by the next caller that needs it.
    answer.byHeight.catch(() => {
      this.#answers = this.#answers.filter((each) => each !== answer)
    })
    return answer
  }

  async #byHeight(range: HeightRange): Promise<ReadonlyMap<number, readonly TracedRow[]>> {
    const rows = await this.#read(range)
    const blocks = range.until - range.from
    const fitting = Math.floor((blocks * goodRows) / Math.max(1, rows.length))
    // A range that ends at the head says little of those that come.
    if (blocks >= this.#blocks)
      this.#blocks = Math.max(1, Math.min(mostBlocks, fitting, this.#blocks * 4))
    return Map.groupBy(rows, ({ height }) => height)
  }
}
