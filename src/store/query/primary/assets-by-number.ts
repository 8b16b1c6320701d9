/** Names of assets. */

import type { Reader, Row } from '../../engine/database.ts'
import { asset } from '../../schema/primary-names.ts'
import { bytes, optional } from './utxo-rows.ts'

/** An asset; names are absent while its creation is not indexed. */
export type StoredAsset = {
  readonly assetId: Uint8Array
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly denomination: number | undefined
  /** `secp256k1`, `nft` or `property`. */
  readonly kind: string | undefined
  readonly variableCap: boolean
  /** Unix seconds. */
  readonly createdAt: number | undefined
}

const columns = [
  'asset_id',
  'name',
  'symbol',
  'denomination',
  'kind',
  'variable_cap',
  'created_at',
] as const

/** Assets by id, those of `assetIds` that were ever seen, in no order. One seek each. */
export async function assetsById(
  reader: Reader,
  assetIds: readonly Uint8Array[],
): Promise<StoredAsset[]> {
  const rows = await reader.lookup({ table: asset, key: ['asset_id'], select: columns }, [assetIds])
  return rows.flatMap((row) => (row === undefined ? [] : [assetOf(row)]))
}

/** Assets by number. One seek each; numbers that do not exist are left out. */
export async function assetsByNumber(
  reader: Reader,
  numbers: readonly number[],
): Promise<Map<number, StoredAsset>> {
  const unique = [...new Set(numbers)]
  const rows = await reader.lookup({ table: asset, key: ['id'], select: columns }, [unique])
  const found = new Map<number, StoredAsset>()
  for (const [at, row] of rows.entries()) {
    const number = unique[at]
    if (row !== undefined && number !== undefined) found.set(number, assetOf(row))
  }
  return found
}

function assetOf(row: Row): StoredAsset {
  return {
    assetId: bytes(row[0]),
    name: row[1] === null ? undefined : String(row[1]),
    symbol: row[2] === null ? undefined : String(row[2]),
    denomination: optional(row[3]),
    kind: row[4] === null ? undefined : String(row[4]),
    variableCap: row[5] === 1,
    createdAt: optional(row[6]),
  }
}
