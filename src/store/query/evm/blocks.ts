/** Blocks of a chain. */

import { type Reader, type Row, type Statement, statement } from '../../engine/database.ts'
import { hexStatement } from './hex-columns.ts'
import { hashPrefix } from './position.ts'
import { integerAt, maybeIntegerAt, maybeTextAt, textAt } from './row-values.ts'

/** One header. Byte strings are `0x` hex; zero is `0x`. */
export type BlockRow = {
  readonly height: number
  readonly hash: string
  /** `undefined` for the first block stored. */
  readonly parentHash: string | undefined
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly minDelayExcess: number | undefined
  readonly gasUsed: number
  readonly gasLimit: number
  readonly gasCost: number
  readonly baseFee: string | undefined
  readonly txCount: number
  /** Transactions of all blocks before. */
  readonly firstTx: number
  /** Wei. */
  readonly fees: string
}

function blocksWhere(condition: string): Statement {
  return hexStatement(
    (hex, maybeHex) =>
      `select b.height, ${hex('b.hash')}, ${maybeHex('p.hash')}, b.timestamp, b.timestamp_ms,
         b.min_delay_excess, b.gas_used, b.gas_limit, b.gas_cost, ${maybeHex('b.base_fee')},
         b.tx_count, b.first_tx, ${hex('b.fees')}
       from block b left join block p on p.height = b.height - 1
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
  return rows.map(blockRow)
}

/** The block at a height, or `undefined`. Cost: two look-ups by key. */
export async function blockByHeight(store: Reader, height: number): Promise<BlockRow | undefined> {
  const row = await store.get(byHeight, [height])
  return row === undefined ? undefined : blockRow(row)
}

/** The block with a hash, or `undefined`. Cost: one look-up in `block_by_hash`, two by key. */
export async function blockByHash(store: Reader, hash: Uint8Array): Promise<BlockRow | undefined> {
  const row = await store.get(byHash, [hashPrefix(hash), hash])
  return row === undefined ? undefined : blockRow(row)
}

/** Unix seconds of the block at a height, or `undefined`. Cost: one look-up by key. */
export async function blockTimestamp(store: Reader, height: number): Promise<number | undefined> {
  const row = await store.get(times, [height])
  return row === undefined ? undefined : integerAt(row, 0)
}

function blockRow(row: Row): BlockRow {
  return {
    height: integerAt(row, 0),
    hash: textAt(row, 1),
    parentHash: maybeTextAt(row, 2),
    timestamp: integerAt(row, 3),
    timestampMs: maybeIntegerAt(row, 4),
    minDelayExcess: maybeIntegerAt(row, 5),
    gasUsed: integerAt(row, 6),
    gasLimit: integerAt(row, 7),
    gasCost: integerAt(row, 8),
    baseFee: maybeTextAt(row, 9),
    txCount: integerAt(row, 10),
    firstTx: integerAt(row, 11),
    fees: textAt(row, 12),
  }
}
