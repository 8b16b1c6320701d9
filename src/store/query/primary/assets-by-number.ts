/** Names of assets. */

import type { Reader } from '../../engine/database.ts'
import { asset } from '../../schema/primary-names.ts'
import { bytes, flag, integer, mapped, maybe, type RowOf, storedRow, text } from '../stored-row.ts'

/** An asset; names are absent while its creation is not indexed. */
const assetRow = storedRow({
  assetId: bytes('asset_id'),
  name: maybe(text('name')),
  symbol: maybe(text('symbol')),
  denomination: maybe(integer('denomination')),
  /** `secp256k1`, `nft` or `property`. */
  kind: maybe(text('kind')),
  variableCap: mapped(maybe(flag('variable_cap')), (is) => is ?? false),
  /** Unix seconds. */
  createdAt: maybe(integer('created_at')),
})
/** One asset. */
export type StoredAsset = RowOf<typeof assetRow>

/** Assets by id, those of `assetIds` that were ever seen, in no order. One seek each. */
export async function assetsById(
  reader: Reader,
  assetIds: readonly Uint8Array[],
): Promise<StoredAsset[]> {
  const rows = await reader.lookup({ table: asset, key: ['asset_id'], select: assetRow.names }, [
    assetIds,
  ])
  return rows.flatMap((row) => (row === undefined ? [] : [assetRow.read(row)]))
}

/** Assets by number. One seek each; numbers that do not exist are left out. */
export async function assetsByNumber(
  reader: Reader,
  numbers: readonly number[],
): Promise<Map<number, StoredAsset>> {
  const unique = [...new Set(numbers)]
  const rows = await reader.lookup({ table: asset, key: ['id'], select: assetRow.names }, [unique])
  const found = new Map<number, StoredAsset>()
  for (const [at, row] of rows.entries()) {
    const number = unique[at]
    if (row !== undefined && number !== undefined) found.set(number, assetRow.read(row))
  }
  return found
}
