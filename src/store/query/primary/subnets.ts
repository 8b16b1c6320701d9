/** Subnets: in order of creation, and by id. */

import { type Reader, type Row, statement } from '../../engine/database.ts'
import { type SubnetBody, subnetBody } from '../../schema/primary-bodies.ts'
import { bytes } from './utxo-rows.ts'

/** One stored subnet. */
export type StoredSubnet = SubnetBody & { readonly pos: number; readonly subnetId: Uint8Array }

const list = {
  asc: statement('select pos, subnet_id, body from subnet where pos > ? order by pos limit ?'),
  desc: statement(
    'select pos, subnet_id, body from subnet where pos < ? order by pos desc limit ?',
  ),
} as const

/** Subnets strictly after place `after`. One range of the key. */
export async function listSubnets(
  reader: Reader,
  query: {
    readonly order: 'asc' | 'desc'
    readonly after: number | undefined
    readonly limit: number
  },
): Promise<StoredSubnet[]> {
  const start = query.after ?? (query.order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  return (await reader.all(list[query.order], [start, query.limit])).map(subnetOf)
}

const byId = statement('select pos, subnet_id, body from subnet where subnet_id = ?')

/** The subnet with this id. One seek. */
export async function subnetById(
  reader: Reader,
  subnetId: Uint8Array,
): Promise<StoredSubnet | undefined> {
  const row = await reader.get(byId, [subnetId])
  return row === undefined ? undefined : subnetOf(row)
}

function subnetOf(row: Row): StoredSubnet {
  return {
    ...subnetBody.fromBytes(bytes(row[2])),
    pos: Number(row[0]),
    subnetId: bytes(row[1]),
  }
}
