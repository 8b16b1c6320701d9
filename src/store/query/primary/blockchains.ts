/** Chains: by id, of subnets, and all in order of creation. */

import { keyOf, toHex } from '../../../core/bytes.ts'
import { type Reader, type Row, statement } from '../../engine/database.ts'
import { bytes } from './utxo-rows.ts'

/** One stored chain. */
export type StoredChain = {
  readonly pos: number
  readonly blockchainId: Uint8Array
  readonly subnetId: Uint8Array
  readonly vmId: Uint8Array
  readonly name: string
  readonly evmChainId: number | undefined
  /** Unix seconds. */
  readonly createdAt: number
  readonly genesis: Uint8Array
}

/** Chains by `keyOf` their id. */
export type Chains = ReadonlyMap<string, StoredChain>

const columns = `c.pos, c.blockchain_id, c.subnet_id, c.vm_id, c.name, c.evm_chain_id,
  c.timestamp, c.genesis`

const byId = statement(
  `select ${columns} from json_each(?) j cross join blockchain c indexed by blockchain_by_id
   where c.blockchain_id = unhex(j.value)`,
  {
    postgres: `select ${columns} from json_array_elements_text(?::json) j
      join blockchain c on c.blockchain_id = decode(j.value, 'hex')`,
  },
)

/** Chains by id; what is none is left out. One seek each. */
export async function chainsById(reader: Reader, ids: readonly Uint8Array[]): Promise<Chains> {
  if (ids.length === 0) return new Map()
  const rows = await reader.all(byId, [JSON.stringify(ids.map(toHex))])
  return new Map(rows.map(chainOf).map((chain) => [keyOf(chain.blockchainId), chain]))
}

const ofSubnets = statement(
  `select ${columns} from json_each(?) j
   cross join blockchain c indexed by blockchain_by_subnet
   where c.subnet_id = unhex(j.value) order by c.pos`,
  {
    postgres: `select ${columns} from json_array_elements_text(?::json) j
      join blockchain c on c.subnet_id = decode(j.value, 'hex') order by c.pos`,
  },
)

/** Chains of subnets in order of creation. One range of `blockchain_by_subnet` each. */
export async function chainsOfSubnets(
  reader: Reader,
  subnetIds: readonly Uint8Array[],
): Promise<StoredChain[]> {
  if (subnetIds.length === 0) return []
  return (await reader.all(ofSubnets, [JSON.stringify(subnetIds.map(toHex))])).map(chainOf)
}

const list = {
  asc: statement(`select ${columns} from blockchain c where c.pos > ? order by c.pos limit ?`),
  desc: statement(
    `select ${columns} from blockchain c where c.pos < ? order by c.pos desc limit ?`,
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
  return (await reader.all(list[query.order], [start, query.limit])).map(chainOf)
}

function chainOf(row: Row): StoredChain {
  return {
    pos: Number(row[0]),
    blockchainId: bytes(row[1]),
    subnetId: bytes(row[2]),
    vmId: bytes(row[3]),
    name: String(row[4]),
    evmChainId: row[5] === null ? undefined : Number(row[5]),
    createdAt: Number(row[6]),
    genesis: bytes(row[7]),
  }
}
