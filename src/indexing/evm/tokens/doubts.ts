/** Doubts of the API: holders whose balance by logs was not what a node told. */

import type { Clock } from '../../../core/world.ts'
import { type Database, statement } from '../../../store/engine/database.ts'
import { addressIds } from '../../../store/query/evm/address-id.ts'
import { bytesAt, integerAt } from '../../../store/query/row-values.ts'

/** A doubt by the numbers of token and holder; a holder whom no block named has none. */
export type ToldDoubt = { readonly id: number; readonly holder: number | undefined }

/** Doubts read at once, and how old those are that a start still reads, milliseconds. */
const doubtsAtOnce = 10
const oldestMs = 60_000

const doubtsAfter = statement(
  `select contract, holder, asked_at from token_doubt
   where chain = ? and asked_at > ? order by asked_at limit ${doubtsAtOnce}`,
)

/** Parts of reading doubts. */
export type DoubtParts = {
  readonly database: Database
  readonly clock: Clock
  /** Name of the chain's store, by which the API names it. */
  readonly chainKey: string
  /** The store in which the API notes doubts; `undefined` while nobody has any. */
  readonly wishes: () => Promise<Database | undefined>
}

/** Reads the doubts of one chain in order. One that comes late by another clock is told again. */
export class Doubts {
  readonly #parts: DoubtParts
  #after: number

  constructor(parts: DoubtParts) {
    this.#parts = parts
    this.#after = parts.clock.now() - oldestMs
  }

  async next(): Promise<ToldDoubt[]> {
    const { wishes, chainKey, database } = this.#parts
    const rows = (await (await wishes())?.all(doubtsAfter, [chainKey, this.#after])) ?? []
    const tokens = await addressIds(
      database,
      rows.map((row) => bytesAt(row, 0)),
    )
    const holders = await addressIds(
      database,
      rows.map((row) => bytesAt(row, 1)),
    )
    const doubts: ToldDoubt[] = []
    for (const [at, row] of rows.entries()) {
      this.#after = Math.max(this.#after, integerAt(row, 2))
      const id = tokens[at]
      if (id !== undefined) doubts.push({ id, holder: holders[at] })
    }
    return doubts
  }
}
