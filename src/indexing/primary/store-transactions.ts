/** Writes transactions and the lists of addresses they stand in. */

import { compareBytes } from '../../core/bytes.ts'
import type { Writer } from '../../store/engine/database.ts'
import { txBody } from '../../store/schema/primary-bodies.ts'
import { chainNumbers, posOf } from '../../store/schema/primary-position.ts'
import { tx, txByAddress } from '../../store/schema/primary.ts'
import type { AssetAmount, EvmSide, RowBatch, TransactionRow, UtxoRow } from './rows.ts'
import { evmAddressKey, type Numbers } from './store-numbers.ts'
import { posOfConsumption } from './store-utxos.ts'

/** What transactions are written with: `utxos` of the batch in order, numbered from `firstUtxo`. */
export type TransactionParts = {
  readonly addresses: Numbers
  readonly assets: Numbers
  readonly utxos: readonly UtxoRow[]
  readonly firstUtxo: number
}

/** Writes transactions in the order given. */
export async function writeTransactions(
  writer: Writer,
  rows: readonly TransactionRow[],
  parts: TransactionParts,
): Promise<void> {
  const made = madeUtxos(parts)
  const places = rows.map((row) => posOf(chainNumbers[row.chain], row.height, row.position))
  await writer.insert(tx, {
    pos: places,
    tx_id: rows.map((row) => row.txId),
    type: rows.map((row) => row.typeId),
    committed: rows.map((row) => (row.committed ? 1 : 0)),
    timestamp: rows.map((row) => row.time),
    size_bytes: rows.map((row) => row.sizeBytes),
    first_utxo: places.map((pos) => made.get(pos)?.first ?? 0),
    utxo_count: places.map((pos) => made.get(pos)?.count ?? 0),
    body: rows.map((row) => bodyOf(row, parts.assets)),
  })
  const ids: number[] = []
  const of: number[] = []
  for (const [at, row] of rows.entries()) {
    for (const id of idsOf(row, parts.addresses)) {
      ids.push(id)
      of.push(at)
    }
  }
  // The rows are in the order of their places, so that equal ids stay in the order of the key.
  const order = ids.map((_, at) => at).sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0))
  await writer.insertNew(txByAddress, {
    address_id: order.map((entry) => ids[entry] ?? 0),
    pos: order.map((entry) => places[of[entry] ?? -1] ?? 0),
    type: order.map((entry) => rows[of[entry] ?? -1]?.typeId ?? 0),
  })
}

/** Numbers of the addresses a transaction concerns, each once. */
function idsOf(row: TransactionRow, addresses: Numbers): Iterable<number> {
  const ids = row.addresses.map(addresses.of)
  for (const one of row.evmAddresses) ids.push(addresses.of(evmAddressKey(one)))
  return ids.length > 1 ? new Set(ids) : ids
}

/** Adds the owners of exports that arrived late to the imports that spent them. */
export async function completeImports(
  writer: Writer,
  completions: RowBatch['importCompletions'],
  addresses: Numbers,
): Promise<void> {
  // Imports have one type id on each chain. Source: codec.go of platformvm, avm and coreth.
  const importTypes = { P: 17, X: 3, C: 0 } as const
  const list = completions.flatMap((row) =>
    row.addresses.map((one) => ({
      id: addresses.of(one),
      pos: posOfConsumption(row.consumed),
      type: importTypes[row.consumed.chain],
    })),
  )
  const sorted = list.toSorted((a, b) => a.id - b.id || a.pos - b.pos)
  await writer.insertNew(txByAddress, {
    address_id: sorted.map(({ id }) => id),
    pos: sorted.map(({ pos }) => pos),
    type: sorted.map(({ type }) => type),
  })
}

function madeUtxos({
  utxos,
  firstUtxo,
}: TransactionParts): ReadonlyMap<number, { readonly first: number; readonly count: number }> {
  const made = new Map<number, { first: number; count: number }>()
  for (const [at, row] of utxos.entries()) {
    const pos = posOf(chainNumbers[row.createdOn], row.createdHeight, row.createdPosition)
    const entry = made.get(pos)
    if (entry === undefined) made.set(pos, { first: firstUtxo + at, count: 1 })
    else entry.count++
  }
  return made
}

function inOrderOfId(list: readonly AssetAmount[]): readonly AssetAmount[] {
  return list.length > 1 ? list.toSorted((a, b) => compareBytes(a.assetId, b.assetId)) : list
}

function bodyOf(row: TransactionRow, assets: Numbers): Uint8Array {
  const amounts = (list: readonly AssetAmount[]): { asset: number; amount: bigint }[] =>
    inOrderOfId(list).map(({ assetId, amount }) => ({ asset: assets.of(assetId), amount }))
  const sides = (list: readonly EvmSide[]): (EvmSide & { asset: number })[] =>
    list.map((side) => ({ ...side, asset: assets.of(side.assetId) }))
  return txBody.toBytes({
    ...row,
    consumed: amounts(row.consumed),
    value: amounts(row.value),
    burned: amounts(row.burned),
    staked: amounts(row.staked),
    memo: row.memo.length === 0 ? undefined : row.memo,
    evmInputs: sides(row.evmInputs),
    evmOutputs: sides(row.evmOutputs),
    l1BalanceBurned: row.l1BalanceBurned === 0n ? undefined : row.l1BalanceBurned,
  })
}
