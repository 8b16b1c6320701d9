/** Subnets: in order of creation, and by id. */

import type { Reader } from '../../engine/database.ts'
import { subnetBody } from '../../schema/primary-bodies.ts'
import { body, bytes, integer, type RowOf, storedRow } from '../stored-row.ts'

const subnetRow = storedRow(
  { pos: integer('pos'), subnetId: bytes('subnet_id') },
  body('body', subnetBody),
)
/** One stored subnet. */
export type StoredSubnet = RowOf<typeof subnetRow>

const list = {
  asc: subnetRow.statement(
    (columns) => `select ${columns} from subnet where pos > ? order by pos limit ?`,
  ),
  desc: subnetRow.statement(
    (columns) => `select ${columns} from subnet where pos < ? order by pos desc limit ?`,
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
  return (await reader.all(list[query.order], [start, query.limit])).map(subnetRow.read)
}

const byId = subnetRow.statement((columns) => `select ${columns} from subnet where subnet_id = ?`)

/** The subnet with this id. One seek. */
export async function subnetById(
  reader: Reader,
  subnetId: Uint8Array,
): Promise<StoredSubnet | undefined> {
  const row = await reader.get(byId, [subnetId])
  return row === undefined ? undefined : subnetRow.read(row)
}
