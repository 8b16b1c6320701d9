/** Rows of `holding`: who a transfer of a token named for the first time. */

import { itemAt } from '../../../core/item-at.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import { holding } from '../../../store/schema/evm.ts'

/** Addresses that may be new to a token, each with a height that says so, ascending by pair. */
export class NewHoldings {
  readonly #tokenIds: number[] = []
  readonly #addressIds: number[] = []
  readonly #heights: number[] = []

  /** Notes an address; of several heights the lowest counts. */
  add(tokenId: number, addressId: number, height: number): void {
    this.#tokenIds.push(tokenId)
    this.#addressIds.push(addressId)
    this.#heights.push(height)
  }

  /**
   * Writes those that are not stored yet, in the order of the key. An address or token with a number
   * above `stored` cannot be; the others cost a look-up each.
   */
  async write(writer: Writer, stored = Number.POSITIVE_INFINITY): Promise<void> {
    const { old, fresh } = this.#sorted(stored)
    if (fresh.length > 0) await writer.insert(holding, this.#columns(fresh))
    if (old.length > 0) await writer.insertNew(holding, this.#columns(old))
  }

  /** Places of the pairs, each once, in the order of the key. */
  #sorted(stored: number): { readonly old: number[]; readonly fresh: number[] } {
    const tokens = this.#tokenIds
    const addresses = this.#addressIds
    const order = Array.from(tokens.keys()).sort(
      (a, b) =>
        itemAt(tokens, a) - itemAt(tokens, b) ||
        itemAt(addresses, a) - itemAt(addresses, b) ||
        itemAt(this.#heights, a) - itemAt(this.#heights, b),
    )
    const old: number[] = []
    const fresh: number[] = []
    let token = -1
    let address = -1
    for (const at of order) {
      if (itemAt(tokens, at) === token && itemAt(addresses, at) === address) continue
      token = itemAt(tokens, at)
      address = itemAt(addresses, at)
      const isFresh = token > stored || address > stored
      ;(isFresh ? fresh : old).push(at)
    }
    return { old, fresh }
  }

  #columns(places: readonly number[]): ColumnsOf<typeof holding> {
    return {
      token_id: places.map((at) => itemAt(this.#tokenIds, at)),
      address_id: places.map((at) => itemAt(this.#addressIds, at)),
      since: places.map((at) => itemAt(this.#heights, at)),
    }
  }
}
