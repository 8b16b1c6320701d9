/** Blocks of a chain. */

import { type Reader, statement } from '../../engine/database.ts'
import { hash, hex, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'
import { hashPrefix } from './position.ts'

/** A header `b`. Byte strings are `0x` hex; zero is `0x`. */
const headerRow = storedRow({
  height: integer('b.height'),
  hash: hash('b.hash'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  timestampMs: maybe(integer('b.timestamp_ms')),
  minDelayExcess: maybe(integer('b.min_delay_excess')),
  gasUsed: integer('b.gas_used'),
  gasLimit: hex('b.gas_limit'),
  gasCost: integer('b.gas_cost'),
  baseFee: maybe(hex('b.base_fee')),
  txCount: integer('b.tx_count'),
  /** Transactions of all blocks before. */
  firstTx: integer('b.first_tx'),
  /** Wei. */
  fees: hex('b.fees'),
})
type HeaderRow = RowOf<typeof headerRow>
/** A header; `parentHash` is `undefined` for the first block stored. */
export type BlockRow = HeaderRow & { readonly parentHash: string | undefined }

const latest = headerRow.statement(
  (columns) => `select ${columns} from evm_block b
   where b.height >= ? and b.height < ? order by b.height desc limit ?`,
  { over: 'newest', within: { height: [0, 1] } },
)
const byHash = headerRow.statement(
  (columns) => `select ${columns} from evm_block b
   where b.hash_prefix = ? and b.hash = ? order by b.height limit 1`,
  { over: 'oldest', key: { of: 'hash', at: [0] } },
)
const hashOfBlock = statement('select hash from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})
const times = statement('select timestamp from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

/**
 * Blocks below height `before`, newest first.
 *
 * Cost: one range scan of `evm_block` by key, which ends with the parent of the last one.
 */
export async function latestBlocks(
  store: Reader,
  query: { readonly before: number; readonly limit: number },
): Promise<BlockRow[]> {
  const headers = await headerRow.all(store, latest, [0, query.before, query.limit + 1])
  return headers
    .slice(0, query.limit)
    .map((header, at) => ({ ...header, parentHash: headers[at + 1]?.hash }))
}

/** The block at a height, or `undefined`. Cost: one range scan of two blocks by key. */
export async function blockByHeight(store: Reader, height: number): Promise<BlockRow | undefined> {
  const [block] = await latestBlocks(store, { before: height + 1, limit: 1 })
  return block?.height === height ? block : undefined
}

/** The block with a hash, or `undefined`. Cost: one look-up in `evm_block_by_hash`, three by key. */
export async function blockByHash(store: Reader, hash: Uint8Array): Promise<BlockRow | undefined> {
  const row = await store.get(byHash, [hashPrefix(hash), hash])
  return row === undefined ? undefined : blockByHeight(store, headerRow.read(row).height)
}

/** Hash of the block at a height, or `undefined`. Cost: one look-up by key. */
export async function blockHashAt(store: Reader, height: number): Promise<Uint8Array | undefined> {
  return (await store.get(hashOfBlock, [height]))?.[0]
}

/** Unix seconds of the block at a height, or `undefined`. Cost: one look-up by key. */
export async function blockTimestamp(store: Reader, height: number): Promise<number | undefined> {
  return (await store.get(times, [height]))?.[0]
}
