/** Facts that views of transactions use beside their rows, read for a whole page at a time. */

import { equalBytes, keyOf } from '../../../core/bytes.ts'
import { pTypes, xTypes } from '../../../core/type-ids.ts'
import type { CreatedAsset } from '../../../shape/primary/transaction.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { assetsById } from '../../../store/query/primary/addresses.ts'
import { l1ChangesAt, type StoredL1Change } from '../../../store/query/primary/l1-validators.ts'
import { type Chains, chainsById } from '../../../store/query/primary/network.ts'
import { expectedAfter } from '../../../store/query/primary/rewards.ts'
import { stakersByTx, type StoredStaker } from '../../../store/query/primary/stakers.ts'
import type { StoredTransaction } from '../../../store/query/primary/transactions.ts'
import { type StoredUtxo, utxosByNumber } from '../../../store/query/primary/utxos.ts'
import { placeOfPos } from '../../../store/schema/primary/position.ts'
import type { ChainOf } from '../inputs.ts'
import { type AssetBook, assetBook, avax, createdAssetView } from './asset.ts'
import type { Credentials } from './credentials.ts'
import { credentialsShown } from './utxo.ts'

/** Facts for the views of one page. */
export type PageFacts = {
  readonly book: AssetBook
  /** Of the UTXOs made and spent. */
  readonly credentials: Credentials
  /** Made and spent UTXOs by place of the transaction. */
  readonly made: ReadonlyMap<number, readonly StoredUtxo[]>
  readonly spent: ReadonlyMap<number, readonly StoredUtxo[]>
  /** By {@link keyOf} the staking transaction's id. */
  readonly stakers: ReadonlyMap<string, StoredStaker>
  /** Expected reward of the cycle that a settlement began, by its place. */
  readonly expected: ReadonlyMap<number, bigint>
  readonly l1Changes: ReadonlyMap<number, readonly StoredL1Change[]>
  readonly chains: Chains
  /** By {@link keyOf} the id of the transaction that made it, which is the asset's. */
  readonly createdAssets: ReadonlyMap<string, CreatedAsset>
}

/** Reads the facts for the views of `rows`, transactions of one chain. */
export async function pageFactsOf(
  of: ChainOf,
  rows: readonly StoredTransaction[],
): Promise<PageFacts> {
  const { store } = of
  const places = rows.map(({ pos }) => pos)
  const made = await utxosByNumber(
    store,
    rows.flatMap(({ made: { first, count } }) =>
      Array.from({ length: count }, (_, at) => first + at),
    ),
  )
  const spent = await utxosByNumber(
    store,
    rows.flatMap((row) => row.spent),
  )
  const isP = of.chain === 'P'
  const stakers = isP
    ? await stakersByTx(
        store,
        rows.flatMap((row) => [row.txId, row.body.stakingTxId ?? row.txId]),
      )
    : []
  return {
    book: await assetBook(store, of, assetsIn(rows, [...made, ...spent])),
    credentials: await credentialsShown(of, [...made, ...spent]),
    made: Map.groupBy(made, ({ createdPos }) => createdPos),
    spent: Map.groupBy(spent, ({ spentPos }) => spentPos ?? -1),
    stakers: new Map(stakers.map((staker) => [keyOf(staker.txId), staker])),
    expected: await expectedRewards(store, rows, stakers),
    l1Changes: Map.groupBy(isP ? await l1ChangesAt(store, places) : [], ({ pos }) => pos),
    chains: isP
      ? await chainsById(
          store,
          rows.map(({ txId }) => txId),
        )
      : new Map(),
    createdAssets: await createdAssets(of, rows),
  }
}

/** Expected rewards of the cycles that settlements began, by place. */
async function expectedRewards(
  store: Reader,
  rows: readonly StoredTransaction[],
  stakers: readonly StoredStaker[],
): Promise<ReadonlyMap<number, bigint>> {
  const expected = new Map<number, bigint>()
  for (const { pos, type, body } of rows) {
    const { stakingTxId } = body
    if (type !== pTypes.RewardAutoRenewedValidatorTx || stakingTxId === undefined) continue
    const position = stakers.find(({ txId }) => equalBytes(txId, stakingTxId))
    if (position === undefined) continue
    const reward = await expectedAfter(store, position, placeOfPos(pos).height)
    if (reward !== undefined) expected.set(pos, reward)
  }
  return expected
}

async function createdAssets(
  of: ChainOf,
  rows: readonly StoredTransaction[],
): Promise<ReadonlyMap<string, CreatedAsset>> {
  if (of.chain !== 'X') return new Map()
  const ids = rows.filter(({ type }) => type === xTypes.CreateAssetTx).map(({ txId }) => txId)
  const assets = await assetsById(of.store, ids)
  return new Map(assets.map((asset) => [keyOf(asset.assetId), createdAssetView(asset)]))
}

function assetsIn(rows: readonly StoredTransaction[], utxos: readonly StoredUtxo[]): number[] {
  const inBodies = rows.flatMap(({ body }) =>
    [body.consumed, body.value, body.burned, body.staked, body.evmInputs, body.evmOutputs]
      .flat()
      .map(({ asset }) => asset),
  )
  return [avax, ...inBodies, ...utxos.map(({ asset }) => asset)]
}
