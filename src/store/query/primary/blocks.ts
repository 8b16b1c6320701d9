/** Blocks of a chain: the newest, those a node proposed, one; and their bytes. */

import { zstdDecompressSync } from 'node:zlib'

import { itemAt } from '../../../core/item-at.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { rawBlocksBody } from '../../schema/primary/bodies.ts'
import {
  blockIdOf,
  blockOfPos,
  chainNumbers,
  posRangeOf,
  prefixOf,
  type PrimaryChain,
} from '../../schema/primary/position.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import {
  amount,
  bytes,
  bytesValue,
  integer,
  integerValue,
  maybe,
  type RowOf,
  storedRow,
  worded,
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
  /** Known from a complete Index API and from peers, as is all below. */
  outerId: maybe(bytes('b.outer_id')),
  outerParent: maybe(bytes('b.outer_parent')),
  proposer: maybe(bytes('n.bytes')),
  proposerHeight: maybe(integer('b.proposer_height')),
  proposerTime: maybe(integer('b.proposer_time')),
})
/** One stored block. */
export type StoredBlock = RowOf<typeof blockRow>

const from = 'primary_block b left join node n on n.id = b.proposer'

const latest = blockRow.statement(
  (columns) =>
    `select ${columns} from ${from} where b.id >= ? and b.id < ? order by b.id desc limit ?`,
  { over: 'tables' },
)

/** Ids `[from, until)` to look among, and how many at most. */
export type BlockRange = { readonly from: number; readonly until: number; readonly limit: number }

/** Newest first. One range of the key. */
export async function latestBlocks(reader: Reader, range: BlockRange): Promise<StoredBlock[]> {
  return blockRow.all(reader, latest, [range.from, range.until, range.limit])
}

const proposed = blockRow.statement(
  (columns) => `select ${columns} from ${from} where b.proposer = ? and b.id >= ? and b.id < ?
   order by b.id desc limit ?`,
  { over: 'tables' },
)

/** Blocks proposed by a node (its number), newest first. One range of `primary_block_by_proposer`. */
export async function blocksOfNode(
  reader: Reader,
  node: number,
  range: BlockRange,
): Promise<StoredBlock[]> {
  return blockRow.all(reader, proposed, [node, range.from, range.until, range.limit])
}

const byId = blockRow.statement((columns) => `select ${columns} from ${from} where b.id = ?`, {
  over: 'tables',
})

/** The block with this id. One seek. */
export async function blockById(reader: Reader, id: number): Promise<StoredBlock | undefined> {
  return blockRow.first(reader, byId, [id])
}

const byHash = blockRow.statement(
  (columns) => `select ${columns} from primary_block_by_hash h cross join ${from}
   where h.prefix = ? and h.id >= ? and h.id < ? and b.id = h.id and b.hash = ? limit 1`,
  { over: 'tables' },
)

/** The block of `chain` with this hash. One seek of `primary_block_by_hash` and of the key. */
export async function blockByHash(
  reader: Reader,
  chain: PrimaryChain,
  hash: Uint8Array,
): Promise<StoredBlock | undefined> {
  const range = posRangeOf(chain)
  const ids = [blockOfPos(range.from), blockOfPos(range.until)]
  return blockRow.first(reader, byHash, [prefixOf(hash), ...ids, hash])
}

const ids = worded(
  ({ list, number }) => `select t.pos / ${placesPerBlock}, t.tx_id
   from ${list} cross join primary_transaction t
   where t.pos >= ${number} * ${placesPerBlock} and t.pos < (${number} + 1) * ${placesPerBlock}
   order by t.pos`,
  { over: 'tables' },
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

const timeQuestion = statement('select timestamp from primary_block where id = ?', {
  over: 'tables',
})

/** Unix seconds of a block; `undefined` where it is not stored. One seek of the key. */
export async function timeOfBlock(
  reader: Reader,
  chain: PrimaryChain,
  height: number,
): Promise<number | undefined> {
  return (await reader.get(timeQuestion, [blockIdOf(chainNumbers[chain], height)]))?.[0]
}

/** Id under which the genesis is kept. */
export const genesisId = -1

/** A block's bytes under its id; {@link genesisId} for the genesis. */
export type RawBlockBytes = { readonly id: number; readonly bytes: Uint8Array }

/** Compression of a row's bytes. */
export const rawMethods = { plain: 0, zstd: 1 } as const

const rawQuestion = statement(
  'select id, method, bytes from raw_block where id >= ? order by id limit 1',
)

/** Kept blocks from id `from` on, in order, at most `limit`. One seek for each row of them. */
export async function rawBlocksFrom(
  reader: Reader,
  from: number,
  limit: number,
): Promise<RawBlockBytes[]> {
  const found: RawBlockBytes[] = []
  for (let next = from; found.length < limit;) {
    const row = await rowFrom(reader, next)
    if (row === undefined) break
    for (const block of row) if (block.id >= from && found.length < limit) found.push(block)
    next = itemAt(row, row.length - 1).id + 1
  }
  return found
}

/**
 * Finds kept blocks by their ids. The row found last is kept: what is read in the order of ids
 * is read and decompressed once a row, not once a block.
 */
export function rawBlockFinder(reader: Reader): (id: number) => Promise<Uint8Array | undefined> {
  let row: readonly RawBlockBytes[] = []
  const inRow = (id: number): Uint8Array | undefined => row.find((block) => block.id === id)?.bytes
  return async (id) => {
    const known = inRow(id)
    if (known !== undefined) return known
    row = (await rowFrom(reader, id)) ?? []
    return inRow(id)
  }
}

/** The blocks of the first row that ends at id `from` or later. */
async function rowFrom(
  reader: Reader,
  from: number,
): Promise<readonly RawBlockBytes[] | undefined> {
  const row = await reader.get(rawQuestion, [from])
  if (row === undefined) return undefined
  const last = row[0]
  const kept = row[2]
  const { before, blocks } = rawBlocksBody.fromBytes(
    row[1] === rawMethods.zstd ? zstdDecompressSync(kept) : kept,
  )
  return blocks.map((bytes, at) => ({ id: last - itemAt(before, at), bytes }))
}
