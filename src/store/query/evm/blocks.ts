/** Blocks of a chain. */

import { type Reader, type Statement, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'
import { hash, hex, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'
import { hashPrefix } from './position.ts'

/** A header `b`, `p` being its parent. Byte strings are `0x` hex; zero is `0x`. */
const blockRow = storedRow({
  height: integer('b.height'),
  hash: hash('b.hash'),
  /** `undefined` for the first block stored. */
  parentHash: maybe(hash('p.hash')),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  timestampMs: maybe(integer('b.timestamp_ms')),
  minDelayExcess: maybe(integer('b.min_delay_excess')),
  gasUsed: integer('b.gas_used'),
  gasLimit: integer('b.gas_limit'),
  gasCost: integer('b.gas_cost'),
  baseFee: maybe(hex('b.base_fee')),
  txCount: integer('b.tx_count'),
  /** Transactions of all blocks before. */
  firstTx: integer('b.first_tx'),
  /** Wei. */
  fees: hex('b.fees'),
})
/** Row of a header. */
export type BlockRow = RowOf<typeof blockRow>

function blocksWhere(condition: string): Statement {
  return blockRow.statement(
    (columns) =>
      `select ${columns} from block b left join block p on p.height = b.height - 1
       where ${condition}`,
  )
}

const latest = blocksWhere('b.height >= 0 and b.height < ? order by b.height desc limit ?')
const byHeight = blocksWhere('b.height = ?')
const byHash = blocksWhere('b.hash_prefix = ? and b.hash = ? order by b.height limit 1')
const times = statement('select timestamp from block where height = ?')

/**
 * Blocks below height `before`, newest first.
 *
 * Cost: one range scan of `block` by key, and one look-up of the parent per row.
 */
export async function latestBlocks(
  store: Reader,
  query: { readonly before: number; readonly limit: number },
): Promise<BlockRow[]> {
  const rows = await store.all(latest, [query.before, query.limit])
  return rows.map(blockRow.read)
}

/** The block at a height, or `undefined`. Cost: two look-ups by key. */
export async function blockByHeight(store: Reader, height: number): Promise<BlockRow | undefined> {
  const row = await store.get(byHeight, [height])
  return row === undefined ? undefined : blockRow.read(row)
}

/** The block with a hash, or `undefined`. Cost: one look-up in `block_by_hash`, two by key. */
export async function blockByHash(store: Reader, hash: Uint8Array): Promise<BlockRow | undefined> {
  const row = await store.get(byHash, [hashPrefix(hash), hash])
  return row === undefined ? undefined : blockRow.read(row)
}

/** Unix seconds of the block at a height, or `undefined`. Cost: one look-up by key. */
export async function blockTimestamp(store: Reader, height: number): Promise<number | undefined> {
  const row = await store.get(times, [height])
  return row === undefined ? undefined : integerAt(row, 0)
}
