/** Assets as answers show them. */

import { equalBytes, keyOf } from '../../../core/bytes.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { assert } from '../../../core/fault.ts'
import type { Asset, AssetAmount } from '../../../shape/primary/asset.ts'
import type { CreatedAsset } from '../../../shape/primary/transaction.ts'
import type { Reader } from '../../../store/engine/database.ts'
import {
  assetsById,
  assetsByNumber,
  type StoredAsset,
} from '../../../store/query/primary/addresses.ts'
import type { StoredStaker } from '../../../store/query/primary/stakers.ts'
import type { ServedNetwork } from '../network/networks.ts'

/** Number of AVAX in every store: genesis names it first. */
export const avax = 1

/** The assets it was made with, by their numbers. */
export type AssetBook = {
  readonly view: (asset: number, amount: bigint) => AssetAmount
  readonly namesOf: (asset: number) => Asset
  /** 32 bytes. */
  readonly idOf: (asset: number) => Uint8Array
}

/** Reads the names of `numbers` once and gives a book over them. */
export async function assetBook(
  reader: Reader,
  network: ServedNetwork,
  numbers: readonly number[],
): Promise<AssetBook> {
  const assets = await assetsByNumber(reader, numbers)
  const names = new Map<number, Asset>()
  for (const [number, asset] of assets) names.set(number, namesOf(asset, network))
  return {
    view: (number, amount) => ({ ...known(names, number), amount: String(amount) }),
    namesOf: (number) => known(names, number),
    idOf: (number) => known(assets, number).assetId,
  }
}

type Staked = Pick<StoredStaker, 'stakeAssetId'>

/** Reads once what is staked in `rows`; gives it of each, nothing where only a weight is. */
export async function stakeAssets(
  network: ServedNetwork,
  rows: readonly Staked[],
): Promise<(row: Staked) => Asset | undefined> {
  const ids = new Map(
    rows.flatMap(({ stakeAssetId: id }) => (id === undefined ? [] : [[keyOf(id), id]])),
  )
  const assets = await assetsById(network.store, [...ids.values()])
  const names = new Map(assets.map((asset) => [keyOf(asset.assetId), namesOf(asset, network)]))
  return ({ stakeAssetId: id }) => (id === undefined ? undefined : names.get(keyOf(id)))
}

function known<T>(assets: ReadonlyMap<number, T>, number: number): T {
  const asset = assets.get(number)
  assert(asset !== undefined, 'an asset with a number is stored')
  return asset
}

function namesOf(asset: StoredAsset, network: ServedNetwork): Asset {
  const assetId = toCb58(asset.assetId)
  if (equalBytes(asset.assetId, network.avaxAssetId)) {
    return { assetId, name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' }
  }
  return {
    assetId,
    name: asset.name ?? '',
    symbol: asset.symbol ?? '',
    denomination: asset.denomination ?? 0,
    type: assetType(asset),
  }
}

/** An asset as its creation made it. */
export function createdAssetView(asset: StoredAsset): CreatedAsset {
  return {
    assetId: toCb58(asset.assetId),
    name: asset.name ?? '',
    symbol: asset.symbol ?? '',
    denomination: asset.denomination ?? 0,
    type: assetType(asset),
    createdAtTimestamp: asset.createdAt ?? 0,
    cap: asset.variableCap ? 'variable' : 'fixed',
  }
}

/** Callers know two types; what is not divisible is `nft`. */
function assetType(asset: StoredAsset): 'secp256k1' | 'nft' {
  return asset.kind === undefined || asset.kind === 'secp256k1' ? 'secp256k1' : 'nft'
}
