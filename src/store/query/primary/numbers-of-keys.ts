/** Numbers of addresses, node ids and assets, and back. */

import { type Reader, statement } from '../../engine/database.ts'
import { address, asset, node } from '../../schema/primary-names.ts'

/** Numbers of `addresses` in their order; `undefined` for those never seen. One seek each. */
export async function numbersOfAddresses(
  reader: Reader,
  addresses: readonly Uint8Array[],
): Promise<(number | undefined)[]> {
  const rows = await reader.lookup({ table: address, key: ['bytes'], select: ['id'] }, [addresses])
  return rows.map((row) => (row === undefined ? undefined : Number(row[0])))
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
  return rows[0] === undefined ? undefined : Number(rows[0][0])
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
  return rows.map(([id]) => Number(id))
}

/** Number of an asset, when it was ever seen. */
export async function numberOfAsset(
  reader: Reader,
  assetId: Uint8Array,
): Promise<number | undefined> {
  const rows = await reader.lookup({ table: asset, key: ['asset_id'], select: ['id'] }, [[assetId]])
  return rows[0] === undefined ? undefined : Number(rows[0][0])
}
