/** Writes UTXOs, who holds them, and what became of them. */

import { keyOf } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import type { Value, Writer } from '../../store/engine/database.ts'
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
import { encodeUtxoRow } from './utxo-bytes.ts'

/** What the writer must know of a UTXO stored before to change it. */
export type StoredUtxo = {
  readonly id: number
  readonly createdAt: number
  readonly tie: number
  readonly chain: number
  readonly target: number
  readonly addresses: readonly Uint8Array[]
}

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

// Codec version 2, transaction id 32, output index 4, asset id 32 stand before the output.
const beforeOutput = 70

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
    output: rows.map((row) => encodeUtxoRow(row).subarray(beforeOutput)),
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

async function addHoldings(
  writer: Writer,
  rows: readonly UtxoRow[],
  firstId: number,
  numbers: UtxoNumbers,
): Promise<void> {
  const list: { readonly row: UtxoRow; readonly values: readonly Value[] }[] = []
  for (const [at, row] of rows.entries()) {
    for (const address of new Map(row.owner.addresses.map((one) => [keyOf(one), one])).values()) {
      for (const place of placesOf(row)) {
        list.push({ row, values: [numbers.addresses.of(address), place, firstId + at] })
      }
    }
  }
  // In the order of the key, so that the tree is walked once.
  list.sort((a, b) => Number(a.values[0]) - Number(b.values[0]))
  await writer.insert(holding, {
    address_id: list.map(({ values }) => values[0] ?? 0),
    place: list.map(({ values }) => values[1] ?? 0),
    created_at: list.map(({ row }) => row.createdTime),
    tie: list.map(({ row }) => tieOf(row.utxoId)),
    utxo: list.map(({ values }) => values[2] ?? 0),
    amount: list.map(({ row }) => (row.amount > maxAmount ? maxAmount : row.amount)),
    asset: list.map(({ row }) => numbers.assets.of(row.assetId)),
    kind: list.map(({ row }) => kindOf(row)),
    needed: list.map(({ row }) => row.owner.threshold),
    spent_at: list.map(({ row }) => row.consumed?.time ?? null),
  })
}

/** Marks what earlier batches made as spent. */
export async function spendUtxos(
  writer: Writer,
  consumptions: RowBatch['consumptions'],
  stored: (utxoId: Uint8Array) => StoredUtxo | undefined,
  addresses: Numbers,
): Promise<void> {
  const spent = consumptions.map(({ utxoId, consumed }) => {
    const known = stored(utxoId)
    assert(known !== undefined, 'replay consumes only what it was told is stored')
    return { known, consumed }
  })
  await writer.update(utxo, {
    id: spent.map(({ known }) => known.id),
    spent_pos: spent.map(({ consumed }) => posOfConsumption(consumed)),
    spent_at: spent.map(({ consumed }) => consumed.time),
  })
  const list = spent.flatMap(({ known, consumed }) => {
    const places = known.chain === known.target ? [known.chain] : [known.chain, known.target]
    const owners = new Set(known.addresses.map((address) => addresses.of(address)))
    return [...owners].flatMap((owner) =>
      places.map((place) => ({ owner, place, known, at: consumed.time })),
    )
  })
  list.sort((a, b) => a.owner - b.owner)
  await writer.update(holding, {
    address_id: list.map(({ owner }) => owner),
    place: list.map(({ place }) => place),
    created_at: list.map(({ known }) => known.createdAt),
    tie: list.map(({ known }) => known.tie),
    utxo: list.map(({ known }) => known.id),
    spent_at: list.map(({ at }) => at),
  })
}

/** Marks stakes of earlier batches as returned. */
export async function returnStakes(
  writer: Writer,
  returns: RowBatch['stakeReturns'],
  stored: (utxoId: Uint8Array) => StoredUtxo | undefined,
): Promise<void> {
  await writer.update(utxo, {
    id: returns.map(({ utxoId }) => {
      const known = stored(utxoId)
      assert(known !== undefined, 'replay returns only stakes that are stored')
      return known.id
    }),
    returned_at: returns.map(({ returned }) => returned.time),
  })
}
