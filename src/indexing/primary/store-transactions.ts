/** Writes transactions and the lists of addresses they stand in. */

import { compareBytes } from '../../core/bytes.ts'
import type { Writer } from '../../store/engine/database.ts'
import { txBody } from '../../store/schema/primary-bodies.ts'
import { tx, txByAddress, txById } from '../../store/schema/primary-ledger.ts'
import { chainNumbers, posOf, prefixOf } from '../../store/schema/primary-position.ts'
import type { AssetAmount, EvmSide, TransactionRow } from './ledger-rows.ts'
import type { RowBatch } from './rows.ts'
import { inOrder, sortedOrder } from './sorted-order.ts'
import type { Numbers } from './store-numbers.ts'
import { posOfConsumption } from './store-utxos.ts'

/** Numbers transactions are written with; those of their addresses in the order of the rows. */
export type TransactionNumbers = {
  readonly owners: readonly (readonly number[])[]
  readonly assets: Numbers
}

/** Writes transactions in the order given. */
export async function writeTransactions(
  writer: Writer,
  rows: readonly TransactionRow[],
  numbers: TransactionNumbers,
): Promise<void> {
  const places = rows.map((row) => posOf(chainNumbers[row.chain], row.height, row.position))
  await writer.insert(tx, {
    pos: places,
    tx_id: rows.map((row) => row.txId),
    body: rows.map((row) => bodyOf(row, numbers.assets)),
  })
  const prefixes = rows.map((row) => prefixOf(row.txId))
  const order = sortedOrder(prefixes)
  await writer.insert(txById, { prefix: inOrder(prefixes, order), pos: inOrder(places, order) })
  await writeLists(writer, rows, { places, owners: numbers.owners })
}

async function writeLists(
  writer: Writer,
  rows: readonly TransactionRow[],
  of: { readonly places: readonly number[] } & Pick<TransactionNumbers, 'owners'>,
): Promise<void> {
  const ids: number[] = []
  const places: number[] = []
  const types: number[] = []
  for (const [at, row] of rows.entries()) {
    for (const id of of.owners[at] ?? []) {
      ids.push(id)
      places.push(of.places[at] ?? 0)
      types.push(row.typeId)
    }
  }
  // The rows are in the order of their places, so that equal ids stay in the order of the key.
  const order = sortedOrder(ids)
  await writer.insert(txByAddress, {
    address_id: inOrder(ids, order),
    pos: inOrder(places, order),
    type: inOrder(types, order),
  })
}

/** Adds the owners of exports that arrived late to the imports that spent them. */
export async function completeImports(
  writer: Writer,
  completions: RowBatch['importCompletions'],
  addresses: Numbers,
): Promise<void> {
  // Imports have one type id on each chain. Source: codec.go of platformvm, avm and coreth.
  const importTypes = { P: 17, X: 3, C: 0 } as const
  const list = completions.flatMap(({ utxo, consumed }) =>
    utxo.owner.addresses.map((one) => ({
      id: addresses.of(one),
      pos: posOfConsumption(consumed),
      type: importTypes[consumed.chain],
    })),
  )
  const sorted = list.toSorted((a, b) => a.id - b.id || a.pos - b.pos)
  await writer.insertNew(txByAddress, {
    address_id: sorted.map(({ id }) => id),
    pos: sorted.map(({ pos }) => pos),
    type: sorted.map(({ type }) => type),
  })
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
    typeId: row.typeId,
    time: row.time,
    committed: row.committed,
    firstUtxo: row.firstUtxo,
    utxoCount: row.utxoCount,
    spent: row.spent,
    consumed: amounts(row.consumed),
    value: amounts(row.value),
    burned: amounts(row.burned),
    staked: amounts(row.staked),
    memo: row.memo.length === 0 ? undefined : row.memo,
    sourceChain: row.sourceChain,
    destinationChain: row.destinationChain,
    evmInputs: sides(row.evmInputs),
    evmOutputs: sides(row.evmOutputs),
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    stakingTxId: row.stakingTxId,
    startTime: row.startTime,
    endTime: row.endTime,
    delegationShares: row.delegationShares,
    rewardAddresses: row.rewardAddresses,
    publicKey: row.publicKey,
    proofOfPossession: row.proofOfPossession,
    l1BalanceBurned: row.l1BalanceBurned === 0n ? undefined : row.l1BalanceBurned,
    subnetOwner: row.subnetOwner,
    managerChainId: row.managerChainId,
    managerAddress: row.managerAddress,
  })
}
