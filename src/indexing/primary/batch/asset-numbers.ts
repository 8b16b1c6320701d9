/**
 * Numbers of assets, all of them in memory: replay writes them into rows as it makes them.
 *
 * Some 150 bytes each. A network takes a fee for a new asset, so that their number stays small:
 * mainnet has some tens of thousands.
 */

import { itemAt } from '../../../core/item-at.ts'
import { KeyTable } from './key-table.ts'

/** An asset and its number. */
export type AssetNumber = { readonly number: number; readonly assetId: Uint8Array }

/** Numbers of a network's assets, shared by its chains. */
export type AssetNumbers = {
  /** Number of an asset; one not met before gets the next. */
  readonly of: (assetId: Uint8Array) => number
  /** The asset of a number that was given. */
  readonly idOf: (number: number) => Uint8Array
  /** Numbers given since this was read last: rows to store. */
  readonly taken: () => AssetNumber[]
}

/** State that a chain's replay keeps in memory between batches. */
export type KeptInMemory = {
  /** Most UTXOs. */
  readonly utxoLimit: number
  readonly assets: AssetNumbers
}

const noId = new Uint8Array(32)

/** Numbers that are stored; the next to come is one above the highest of them. */
export function newAssetNumbers(stored: Iterable<AssetNumber>): AssetNumbers {
  const numbers = new KeyTable()
  const ids: Uint8Array[] = [noId]
  let fresh: AssetNumber[] = []
  for (const { number, assetId } of stored) {
    numbers.add(assetId, number)
    ids[number] = assetId
  }
  // One array is looked up again and again: an asset's id is nearly always the last one.
  let lastId: Uint8Array = noId
  let lastNumber = 0
  return {
    of: (assetId) => {
      if (assetId === lastId) return lastNumber
      const number = numbers.add(assetId, ids.length)
      if (number === ids.length) {
        ids.push(assetId)
        fresh.push({ number, assetId })
      }
      lastId = assetId
      lastNumber = number
      return number
    },
    idOf: (number) => itemAt(ids, number),
    taken: () => {
      const taken = fresh
      fresh = []
      return taken
    },
  }
}
