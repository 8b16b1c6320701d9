/** Writes UTXOs, who holds them, and what became of them. */

import { assert } from '../../core/fault.ts'
import type { Writer } from '../../store/engine/database.ts'
import {
  chainNumbers,
  maxAmount,
  posOf,
  rewardKinds,
  utxoKinds,
} from '../../store/schema/primary-position.ts'
import { holding, utxo } from '../../store/schema/primary.ts'
import type { ChainName, Consumption, RowBatch, UtxoRow } from './rows.ts'
import type { Numbers } from './store-numbers.ts'
import { encodeOutputOfRow } from './utxo-bytes.ts'

/** Numbers the rows are written with. */
export type UtxoNumbers = { readonly addresses: Numbers; readonly assets: Numbers }

/** Place of a consumption. */
export function posOfConsumption(consumed: Consumption): number {
  return posOf(chainNumbers[consumed.chain], consumed.height, consumed.position)
}

/** First 48 bits of a UTXO id: orders UTXOs of one moment or amount. */
export function tieOf(utxoId: Uint8Array): number {
  let tie = 0
  for (let at = 0; at < 6; at++) tie = tie * 256 + (utxoId[at] ?? 0)
  return tie
}

/** Order in which UTXOs are numbered, so that those of a transaction lie side by side. */
export function inOrderOfCreation(utxos: readonly UtxoRow[]): readonly UtxoRow[] {
  const pos = (row: UtxoRow): number =>
    posOf(chainNumbers[row.createdOn], row.createdHeight, row.createdPosition)
  return utxos
    .map((row) => ({ row, pos: pos(row) }))
    .toSorted((a, b) => a.pos - b.pos)
    .map(({ row }) => row)
}

/** Bits of `kind`, see `primary-position.ts`. */
function kindOf(row: UtxoRow): number {
  const { locked, stakeableLocked, staked, shared, crossing, withoutAmount, wide } = utxoKinds
  return (
    (row.owner.locktime > 0n ? locked : 0) |
    (row.stakeableLocktime > 0n ? stakeableLocked : 0) |
    (row.staked ? staked : 0) |
    (row.owner.addresses.length !== 1 || row.owner.threshold !== 1 ? shared : 0) |
    (row.createdOn === row.consumableOn ? 0 : crossing) |
    (row.outputType === 7 ? 0 : withoutAmount) |
    (row.amount > maxAmount ? wide : 0)
  )
}

/** Adds `rows`, which are in order, numbered from `firstId`. */
export async function addUtxos(
  writer: Writer,
  rows: readonly UtxoRow[],
  firstId: number,
  numbers: UtxoNumbers,
): Promise<void> {
  const amounts = rows.map((row) => (row.amount > maxAmount ? maxAmount : row.amount))
  await writer.insert(utxo, {
    id: rows.map((_, at) => firstId + at),
    utxo_id: rows.map((row) => row.utxoId),
    tx_id: rows.map((row) => row.txId),
    output_index: rows.map((row) => row.outputIndex),
    chain: rows.map((row) => chainNumbers[row.createdOn]),
    target: rows.map((row) => chainNumbers[row.consumableOn]),
    asset: rows.map((row) => numbers.assets.of(row.assetId)),
    kind: rows.map(kindOf),
    reward: rows.map((row) => (row.rewardKind ? rewardKinds.indexOf(row.rewardKind) : 0)),
    amount: amounts,
    output: rows.map(encodeOutputOfRow),
    created_pos: rows.map((row) =>
      posOf(chainNumbers[row.createdOn], row.createdHeight, row.createdPosition),
    ),
    created_at: rows.map((row) => row.createdTime),
    spent_pos: rows.map((row) => (row.consumed ? posOfConsumption(row.consumed) : null)),
    spent_at: rows.map((row) => row.consumed?.time ?? null),
    stake_start: rows.map((row) => row.stakeStart ?? null),
    stake_end: rows.map((row) => row.stakeEnd ?? null),
    returned_at: rows.map((row) => row.returned?.time ?? null),
  })
  await addHoldings(writer, rows, firstId, numbers)
}

/** The lists a UTXO stands in: that of its chain, and that of the chain it can go to. */
function placesOf(row: { createdOn: ChainName; consumableOn: ChainName }): readonly number[] {
  const from = chainNumbers[row.createdOn]
  const to = chainNumbers[row.consumableOn]
  return from === to ? [from] : [from, to]
}

/** Writes the lists in the order of their key, so that the tree is walked once. */
async function addHoldings(
  writer: Writer,
  rows: readonly UtxoRow[],
  firstId: number,
  numbers: UtxoNumbers,
): Promise<void> {
  const { owners, places, of, order } = listsOf(rows, numbers.addresses)
  const list = order.map((entry) => rowAt(rows, of[entry]))
  await writer.insert(holding, {
    address_id: order.map((entry) => owners[entry] ?? 0),
    place: order.map((entry) => places[entry] ?? 0),
    created_at: list.map((row) => row.createdTime),
    tie: list.map((row) => tieOf(row.utxoId)),
    utxo: order.map((entry) => firstId + (of[entry] ?? 0)),
    amount: list.map((row) => (row.amount > maxAmount ? maxAmount : row.amount)),
    asset: list.map((row) => numbers.assets.of(row.assetId)),
    kind: list.map(kindOf),
    needed: list.map((row) => row.owner.threshold),
    spent_at: list.map((row) => row.consumed?.time ?? null),
  })
}

/** Entries of the lists: whose, which, of which row; `order` is that of their key. */
type Lists = Readonly<Record<'owners' | 'places' | 'of' | 'order', readonly number[]>>

function listsOf(
  rows: readonly Pick<UtxoRow, 'owner' | 'createdOn' | 'consumableOn'>[],
  addresses: Numbers,
): Lists {
  const owners: number[] = []
  const places: number[] = []
  const of: number[] = []
  for (const [at, row] of rows.entries()) {
    const stands = placesOf(row)
    for (const owner of ownersOf(row, addresses)) {
      for (const place of stands) {
        owners.push(owner)
        places.push(place)
        of.push(at)
      }
    }
  }
  return { owners, places, of, order: orderOf(owners) }
}

function rowAt<T>(rows: readonly T[], at: number | undefined): T {
  const row = rows[at ?? -1]
  assert(row !== undefined, 'a list names only rows of its batch')
  return row
}

/** Numbers of the owners, each once. Nearly always one. */
function ownersOf(row: Pick<UtxoRow, 'owner'>, addresses: Numbers): readonly number[] {
  const { addresses: all } = row.owner
  const numbers = all.map(addresses.of)
  return numbers.length > 1 ? [...new Set(numbers)] : numbers
}

/** Places of `keys` in ascending order of what stands there; equal ones in their order. */
function orderOf(keys: readonly number[]): number[] {
  const order = keys.map((_, at) => at)
  return order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0))
}

/** Marks what earlier batches made as spent; `ids` are the numbers of those UTXOs. */
export async function spendUtxos(
  writer: Writer,
  consumptions: RowBatch['consumptions'],
  ids: readonly number[],
  addresses: Numbers,
): Promise<void> {
  await writer.update(utxo, {
    id: ids,
    spent_pos: consumptions.map(({ consumed }) => posOfConsumption(consumed)),
    spent_at: consumptions.map(({ consumed }) => consumed.time),
  })
  const { owners, places, of, order } = listsOf(consumptions, addresses)
  const list = order.map((entry) => rowAt(consumptions, of[entry]))
  await writer.update(holding, {
    address_id: order.map((entry) => owners[entry] ?? 0),
    place: order.map((entry) => places[entry] ?? 0),
    created_at: list.map((row) => row.createdTime),
    tie: list.map((row) => tieOf(row.utxoId)),
    utxo: order.map((entry) => ids[of[entry] ?? -1] ?? 0),
    spent_at: list.map((row) => row.consumed.time),
  })
}

/** Marks stakes of earlier batches as returned; `ids` are the numbers of those UTXOs. */
export async function returnStakes(
  writer: Writer,
  returns: RowBatch['stakeReturns'],
  ids: readonly number[],
): Promise<void> {
  await writer.update(utxo, { id: ids, returned_at: returns.map(({ returned }) => returned.time) })
}
