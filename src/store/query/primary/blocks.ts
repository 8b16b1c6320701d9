/** Blocks of a chain: the newest, those a node proposed, one. */

import { type Reader, type Row, statement } from '../../engine/database.ts'
import {
  blockIdOf,
  blockOfPos,
  chainNumbers,
  posRangeOf,
  prefixOf,
  type PrimaryChain,
} from '../../schema/primary-position.ts'
import { bytes, optional } from './utxo-rows.ts'

/** One stored block. */
export type StoredBlock = {
  readonly id: number
  readonly hash: Uint8Array
  readonly parent: Uint8Array
  /** Wire type id, of its chain. */
  readonly type: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly sizeBytes: number
  readonly txCount: number
  /** nAVAX; P-Chain only, as are the next two. */
  readonly supply: bigint | undefined
  readonly l1Fees: bigint | undefined
  readonly l1Active: number | undefined
  /** Known only from an Index API, as is all below. */
  readonly outerId: Uint8Array | undefined
  readonly outerParent: Uint8Array | undefined
  readonly proposer: Uint8Array | undefined
  readonly proposerHeight: number | undefined
  readonly proposerTime: number | undefined
}

const columns = `b.id, b.hash, b.parent, b.type, b.timestamp, b.size_bytes, b.tx_count,
  cast(b.supply as text), cast(b.l1_fees as text), b.l1_active, b.outer_id, b.outer_parent,
  n.bytes, b.proposer_height, b.proposer_time`
const from = 'block b left join node n on n.id = b.proposer'

const latest = statement(
  `select ${columns} from ${from} where b.id >= ? and b.id < ? order by b.id desc limit ?`,
)

/** Ids `[from, until)` to look among, and how many at most. */
export type BlockRange = { readonly from: number; readonly until: number; readonly limit: number }

/** Newest first. One range of the key. */
export async function latestBlocks(reader: Reader, range: BlockRange): Promise<StoredBlock[]> {
  const rows = await reader.all(latest, [range.from, range.until, range.limit])
  return rows.map(blockOf)
}

const proposed = statement(
  `select ${columns} from ${from} where b.proposer = ? and b.id >= ? and b.id < ?
   order by b.id desc limit ?`,
)

/** Blocks proposed by a node (its number), newest first. One range of `block_by_proposer`. */
export async function blocksOfNode(
  reader: Reader,
  node: number,
  range: BlockRange,
): Promise<StoredBlock[]> {
  const rows = await reader.all(proposed, [node, range.from, range.until, range.limit])
  return rows.map(blockOf)
}

const byId = statement(`select ${columns} from ${from} where b.id = ?`)

/** The block with this id. One seek. */
export async function blockById(reader: Reader, id: number): Promise<StoredBlock | undefined> {
  const row = await reader.get(byId, [id])
  return row === undefined ? undefined : blockOf(row)
}

const byHash = statement(
  `select ${columns} from block_by_hash h cross join ${from}
   where h.prefix = ? and h.id >= ? and h.id < ? and b.id = h.id and b.hash = ? limit 1`,
)

/** The block of `chain` with this hash. One seek of `block_by_hash` and of the key. */
export async function blockByHash(
  reader: Reader,
  chain: PrimaryChain,
  hash: Uint8Array,
): Promise<StoredBlock | undefined> {
  const range = posRangeOf(chain)
  const ids = [blockOfPos(range.from), blockOfPos(range.until)]
  const row = await reader.get(byHash, [prefixOf(hash), ...ids, hash])
  return row === undefined ? undefined : blockOf(row)
}

const ids = statement(
  `select t.pos / 1048576, t.tx_id from json_each(?) j cross join tx t
   where t.pos >= j.value * 1048576 and t.pos < (j.value + 1) * 1048576 order by t.pos`,
  {
    postgres: `select t.pos / 1048576, t.tx_id from json_array_elements_text(?::json) j
      join tx t on t.pos >= j.value::bigint * 1048576 and t.pos < (j.value::bigint + 1) * 1048576
      order by t.pos`,
  },
)

/** Ids of the transactions of blocks, by block id, in their order. One range of the key each. */
export async function transactionIdsOfBlocks(
  reader: Reader,
  blockIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Uint8Array[]>> {
  const found = new Map<number, Uint8Array[]>(blockIds.map((id) => [id, []]))
  if (blockIds.length === 0) return found
  for (const [block, txId] of await reader.all(ids, [JSON.stringify(blockIds)])) {
    found.get(Number(block))?.push(bytes(txId))
  }
  return found
}

function blockOf(row: Row): StoredBlock {
  return {
    id: Number(row[0]),
    hash: bytes(row[1]),
    parent: bytes(row[2]),
    type: Number(row[3]),
    timestamp: Number(row[4]),
    sizeBytes: Number(row[5]),
    txCount: Number(row[6]),
    supply: row[7] === null ? undefined : BigInt(String(row[7])),
    l1Fees: row[8] === null ? undefined : BigInt(String(row[8])),
    l1Active: optional(row[9]),
    outerId: bytesOrNone(row[10]),
    outerParent: bytesOrNone(row[11]),
    proposer: bytesOrNone(row[12]),
    proposerHeight: optional(row[13]),
    proposerTime: optional(row[14]),
  }
}

function bytesOrNone(value: Row[number] | undefined): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined
}

const timeQuestion = statement('select timestamp from block where id = ?')

/** Unix seconds of a block; `undefined` where it is not stored. One seek of the key. */
export async function timeOfBlock(
  reader: Reader,
  chain: PrimaryChain,
  height: number,
): Promise<number | undefined> {
  const row = await reader.get(timeQuestion, [blockIdOf(chainNumbers[chain], height)])
  return row === undefined ? undefined : Number(row[0])
}
