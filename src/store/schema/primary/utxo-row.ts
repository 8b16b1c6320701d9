/**
 * Rows of `utxo`: UTXOs that were made one after another and are named for one transaction.
 *
 * A row's body is a {@link utxoRowHead} and then a {@link utxoOutput} for each, under the number of
 * the last: what looks for one finds the row that follows.
 */

import { bytes, count, layout, maybe } from '../packed/packed-record.ts'
import { unpackEach } from '../packed/packed.ts'
import { chainOfUtxo } from './position.ts'

/** UTXOs of a row: those of nearly every transaction, and one is found without unpacking many. */
export const mostUtxosInRow = 16

/** Fields that the UTXOs of a row share. `firstIndex`: output index of the first; others follow. */
export const utxoRowHead = layout({
  txId: bytes,
  firstIndex: count,
  createdPos: count,
  createdAt: count,
})

/**
 * One UTXO of a row.
 *
 * - `kind`: bits of `utxoKinds`; `reward`: index of `rewardKinds`
 * - `output`: the wire form, locks included
 * - `consumableOn`: number of the chain where it can be consumed, when that is another
 */
export const utxoOutput = layout({
  asset: count,
  kind: count,
  output: bytes,
  consumableOn: maybe(count),
  stakeStart: maybe(count),
  stakeEnd: maybe(count),
  reward: maybe(count),
})

/** Record of {@link utxoOutput}. */
export type PackedUtxo = ReturnType<typeof utxoOutput.fromBytes>

/** A UTXO of a row. Chains are `chainNumbers`, times Unix seconds. */
export type RowUtxo = Omit<PackedUtxo, 'consumableOn'> & {
  readonly number: number
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly createdPos: number
  readonly createdAt: number
  readonly createdOn: number
  readonly consumableOn: number
}

/** UTXOs of the row under `last`, in order. Throws `store-failed` when the body is damaged. */
export function utxosOfRow(last: number, body: Uint8Array): RowUtxo[] {
  const [first = [], ...others] = unpackEach(body)
  const { txId, firstIndex, createdPos, createdAt } = utxoRowHead.unpack(first)
  const firstNumber = last - others.length + 1
  const createdOn = chainOfUtxo(last)
  return others.map((values, at) => {
    const { consumableOn = createdOn, ...output } = utxoOutput.unpack(values)
    const place = { txId, outputIndex: firstIndex + at, createdPos, createdAt }
    return { ...output, ...place, number: firstNumber + at, createdOn, consumableOn }
  })
}
