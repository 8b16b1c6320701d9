/** Blocks of a chain: the newest, those a node proposed, one. */

import { type Reader, statement } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import {
  blockIdOf,
  blockOfPos,
  chainNumbers,
  posRangeOf,
  prefixOf,
  type PrimaryChain,
} from '../../schema/primary-position.ts'
import { integerAt } from '../row-values.ts'
import {
  amount,
  bytes,
  bytesValue,
  integer,
  integerValue,
  maybe,
  type RowOf,
  storedRow,
} from '../stored-row.ts'

/** A block `b`, and the node `n` that proposed it. */
const blockRow = storedRow({
  id: integer('b.id'),
  hash: bytes('b.hash'),
  parent: bytes('b.parent'),
  /** Wire type id, of its chain. */
  type: integer('b.type'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  sizeBytes: integer('b.size_bytes'),
  txCount: integer('b.tx_count'),
  /** nAVAX; P-Chain only, as are the next two. */
  supply: maybe(amount('b.supply')),
  l1Fees: maybe(amount('b.l1_fees')),
  l1Active: maybe(integer('b.l1_active')),
  /** Known only from an Index API, as is all below. */
  outerId: maybe(bytes('b.outer_id')),
  outerParent: maybe(bytes('b.outer_parent')),
  proposer: maybe(bytes('n.bytes')),
  proposerHeight: maybe(integer('b.proposer_height')),
  proposerTime: maybe(integer('b.proposer_time')),
})
/** One stored block. */
export type StoredBlock = RowOf<typeof blockRow>

const from = 'block b left join node n on n.id = b.proposer'

const latest = blockRow.statement(
  (columns) =>
    `select ${columns} from ${from} where b.id >= ? and b.id < ? order by b.id desc limit ?`,
  { over: 'tables' },
)

/** Ids `[from, until)` to look among, and how many at most. */
export type BlockRange = { readonly from: number; readonly until: number; readonly limit: number }

/** Newest first. One range of the key. */
export async function latestBlocks(reader: Reader, range: BlockRange): Promise<StoredBlock[]> {
  const rows = await reader.all(latest, [range.from, range.until, range.limit])
  return rows.map(blockRow.read)
}

const proposed = blockRow.statement(
  (columns) => `select ${columns} from ${from} where b.proposer = ? and b.id >= ? and b.id < ?
   order by b.id desc limit ?`,
  { over: 'tables' },
)

/** Blocks proposed by a node (its number), newest first. One range of `block_by_proposer`. */
export async function blocksOfNode(
  reader: Reader,
  node: number,
  range: BlockRange,
): Promise<StoredBlock[]> {
  const rows = await reader.all(proposed, [node, range.from, range.until, range.limit])
  return rows.map(blockRow.read)
}

const byId = blockRow.statement((columns) => `select ${columns} from ${from} where b.id = ?`, {
  over: 'tables',
})

/** The block with this id. One seek. */
export async function blockById(reader: Reader, id: number): Promise<StoredBlock | undefined> {
  const row = await reader.get(byId, [id])
  return row === undefined ? undefined : blockRow.read(row)
}

const byHash = blockRow.statement(
  (columns) => `select ${columns} from block_by_hash h cross join ${from}
   where h.prefix = ? and h.id >= ? and h.id < ? and b.id = h.id and b.hash = ? limit 1`,
  { over: 'tables' },
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
  return row === undefined ? undefined : blockRow.read(row)
}

const ids = statement(
  `select t.pos / ${placesPerBlock}, t.tx_id from json_each(?) j cross join tx t
   where t.pos >= j.value * ${placesPerBlock} and t.pos < (j.value + 1) * ${placesPerBlock} order by t.pos`,
  {
    over: 'tables',
    postgres: `select t.pos / ${placesPerBlock}, t.tx_id from json_array_elements_text(?::json) j
      join tx t on t.pos >= j.value::bigint * ${placesPerBlock} and t.pos < (j.value::bigint + 1) * ${placesPerBlock}
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
    found.get(integerValue(block))?.push(bytesValue(txId))
  }
  return found
}

const timeQuestion = statement('select timestamp from block where id = ?', { over: 'tables' })

/** Unix seconds of a block; `undefined` where it is not stored. One seek of the key. */
export async function timeOfBlock(
  reader: Reader,
  chain: PrimaryChain,
  height: number,
): Promise<number | undefined> {
  const row = await reader.get(timeQuestion, [blockIdOf(chainNumbers[chain], height)])
  return row === undefined ? undefined : integerAt(row, 0)
}
