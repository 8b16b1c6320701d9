/** Numbers of addresses, node ids and assets, and back; where addresses were seen. */

import { type Reader, statement } from '../../engine/database.ts'
import { listOf } from '../../schema/primary/holding.ts'
import { posRangeOf, type PrimaryChain } from '../../schema/primary/position.ts'
import { address, asset, node } from '../../schema/primary/tables.ts'
import { bytes, flag, integer, mapped, maybe, type RowOf, storedRow, text } from '../stored-row.ts'

/** Numbers of `addresses` in their order; `undefined` for those never seen. One seek each. */
export async function numbersOfAddresses(
  reader: Reader,
  addresses: readonly Uint8Array[],
): Promise<(number | undefined)[]> {
  const rows = await reader.lookup({ table: address, key: ['bytes'], select: ['id'] }, [addresses])
  return rows.map((row) => row?.[0])
}

/** Numbers of those `addresses` that were ever seen. */
export async function knownNumbers(
  reader: Reader,
  addresses: readonly Uint8Array[],
): Promise<number[]> {
  const numbers = await numbersOfAddresses(reader, addresses)
  return numbers.filter((number) => number !== undefined)
}

/** Number of a node id, when it was ever seen. */
export async function numberOfNode(
  reader: Reader,
  nodeId: Uint8Array,
): Promise<number | undefined> {
  const rows = await reader.lookup({ table: node, key: ['bytes'], select: ['id'] }, [[nodeId]])
  return rows[0] === undefined ? undefined : rows[0][0]
}

const nodesWith = statement('select id from node where instr(text, ?) > 0 limit ?', {
  postgres: 'select id from node where strpos(text, ?) > 0 limit ?',
})

/**
 * Numbers of nodes whose text contains `part`, letter case and all, at most `limit`. Reads the
 * texts of all nodes ever seen, some ten thousands on mainnet.
 */
export async function nodesContaining(
  reader: Reader,
  part: string,
  limit: number,
): Promise<number[]> {
  const rows = await reader.all(nodesWith, [part, limit])
  return rows.map(([id]) => id)
}

/** Number of an asset, when it was ever seen. */
export async function numberOfAsset(
  reader: Reader,
  assetId: Uint8Array,
): Promise<number | undefined> {
  const rows = await reader.lookup({ table: asset, key: ['asset_id'], select: ['id'] }, [[assetId]])
  return rows[0] === undefined ? undefined : rows[0][0]
}

const seen = statement(
  'select 1 from primary_transaction_by_address where address_id = ? and pos >= ? and pos < ? limit 1',
  { over: 'tables' },
)
const open = statement('select 1 from open_holding where list = ? limit 1')
const spent = statement('select 1 from spent_holding where list = ? limit 1')

/** Chains with a transaction or an output of the address. Nine seeks at most. */
export async function chainsOfAddress(reader: Reader, address: number): Promise<PrimaryChain[]> {
  const found: PrimaryChain[] = []
  for (const chain of ['P', 'X', 'C'] as const) {
    const { from, until } = posRangeOf(chain)
    const row =
      (await reader.get(seen, [address, from, until])) ??
      (await reader.get(open, [listOf(address, chain)])) ??
      (await reader.get(spent, [listOf(address, chain)]))
    if (row !== undefined) found.push(chain)
  }
  return found
}

const question = statement(
  'select 1 from primary_transaction_by_address where address_id = ? and pos = ?',
  { over: 'tables' },
)

/** Those of `addresses` (numbers) that the transaction at `pos` concerns. One seek each. */
export async function concernedAddresses(
  reader: Reader,
  addresses: readonly number[],
  pos: number,
): Promise<number[]> {
  const found: number[] = []
  for (const address of addresses)
    if ((await reader.get(question, [address, pos])) !== undefined) found.push(address)
  return found
}

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
