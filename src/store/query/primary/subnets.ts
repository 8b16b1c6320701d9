/** Subnets and chains: in order of creation, by id, chains of subnets. */

import { keyOf, toHex } from '../../../core/bytes.ts'
import type { Reader } from '../../engine/database.ts'
import { subnetBody } from '../../schema/primary/bodies.ts'
import { body, bytes, integer, type RowOf, storedRow, maybe, text } from '../stored-row.ts'

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

/** A chain `c`. */
const chainRow = storedRow({
  pos: integer('c.pos'),
  blockchainId: bytes('c.blockchain_id'),
  subnetId: bytes('c.subnet_id'),
  vmId: bytes('c.vm_id'),
  name: text('c.name'),
  evmChainId: maybe(integer('c.evm_chain_id')),
  /** Unix seconds. */
  createdAt: integer('c.timestamp'),
  genesis: bytes('c.genesis'),
})
/** One stored chain. */
export type StoredChain = RowOf<typeof chainRow>

/** Chains by `keyOf` their id. */
export type Chains = ReadonlyMap<string, StoredChain>

const blockchainsById = chainRow.statement(
  (
    columns,
  ) => `select ${columns} from json_each(?) j cross join blockchain c indexed by blockchain_by_id
   where c.blockchain_id = unhex(j.value)`,
  {
    postgres: (columns) => `select ${columns} from json_array_elements_text(?::json) j
      join blockchain c on c.blockchain_id = decode(j.value, 'hex')`,
  },
)

/** Chains by id; unknown ids are left out. One seek each. */
export async function chainsById(reader: Reader, ids: readonly Uint8Array[]): Promise<Chains> {
  if (ids.length === 0) return new Map()
  const rows = await reader.all(blockchainsById, [JSON.stringify(ids.map(toHex))])
  return new Map(rows.map(chainRow.read).map((chain) => [keyOf(chain.blockchainId), chain]))
}

const ofSubnets = chainRow.statement(
  (columns) => `select ${columns} from json_each(?) j
   cross join blockchain c indexed by blockchain_by_subnet
   where c.subnet_id = unhex(j.value) order by c.pos`,
  {
    postgres: (columns) => `select ${columns} from json_array_elements_text(?::json) j
      join blockchain c on c.subnet_id = decode(j.value, 'hex') order by c.pos`,
  },
)

/** Chains of subnets in order of creation. One range of `blockchain_by_subnet` each. */
export async function chainsOfSubnets(
  reader: Reader,
  subnetIds: readonly Uint8Array[],
): Promise<StoredChain[]> {
  if (subnetIds.length === 0) return []
  return (await reader.all(ofSubnets, [JSON.stringify(subnetIds.map(toHex))])).map(chainRow.read)
}

const blockchainsList = {
  asc: chainRow.statement(
    (columns) => `select ${columns} from blockchain c where c.pos > ? order by c.pos limit ?`,
  ),
  desc: chainRow.statement(
    (columns) => `select ${columns} from blockchain c where c.pos < ? order by c.pos desc limit ?`,
  ),
} as const

/** Chains in order of creation, strictly after `after`. One range of the key. */
export async function listBlockchains(
  reader: Reader,
  query: {
    readonly order: 'asc' | 'desc'
    readonly after: number | undefined
    readonly limit: number
  },
): Promise<StoredChain[]> {
  const start = query.after ?? (query.order === 'asc' ? -1 : Number.MAX_SAFE_INTEGER)
  return (await reader.all(blockchainsList[query.order], [start, query.limit])).map(chainRow.read)
}
