/**
 * Ranges of ERC-721 tokens given away by one log.
 *
 * A range is one row however many ids it has. Ranges of a contract are kept apart: a new one cuts
 * what it covers off the older ones. Source: ERC-2309.
 */

import { type BlockBatch, eventKinds } from '../../../codec/evm/columns.ts'
import { compareBytes, fromBigint, toBigint, isZero } from '../../../core/bytes.ts'
import { f64At, u32At } from '../../../core/item-at.ts'
import { type Row, statement, type Writer } from '../../../store/engine/database.ts'
import { token } from '../../../store/schema/evm.ts'
import { nftRange } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { byteAt } from './batch-columns.ts'
import type { Interner } from './intern.ts'
import { newTokens } from './token-rows.ts'

/** A range as it is stored. */
type Range = {
  readonly contractId: number
  readonly first: Uint8Array
  readonly last: Uint8Array
  readonly ownerId: number | null
  readonly at: number
  readonly asked: number
}

/** Bytes of the topics after the first: first id, sender, receiver. */
const topicBytes = 96

// The ranges a new one may touch: from the last that begins at or before it.
const touched = statement(
  `select first_item, last_item, owner_id, at, asked from nft_range
   where contract_id = ? and first_item <= ? and first_item >= coalesce((
     select b.first_item from nft_range b where b.contract_id = ? and b.first_item <= ?
     order by b.first_item desc limit 1), ?)
   order by first_item`,
)

const noItem = new Uint8Array(32)

/** Writes the ranges of a batch, and their contracts where they are new. */
export async function writeRanges(
  writer: Writer,
  batch: BlockBatch,
  interner: Interner,
): Promise<void> {
  for (const range of await rangesOf(writer, batch, interner)) {
    await writeRange(writer, range)
    const { contractId: id, at } = range
    const shown = { id, standard: 721, height: Math.floor(at / placesPerBlock) }
    await writer.insertNew(token, newTokens([shown]))
  }
}

/** Ranges that the logs of a batch give away, in order. */
export async function rangesOf(
  writer: Writer,
  batch: BlockBatch,
  interner: Interner,
): Promise<Range[]> {
  const { events } = batch
  const ranges: Range[] = []
  for (let row = 0; row < events.count; row++) {
    if (events.kind[row] !== eventKinds.consecutiveTransfer) continue
    const range = await rangeAt(writer, { batch, row, interner })
    if (range !== undefined) ranges.push(range)
  }
  return ranges
}

/** Writes one range over those that its contract has. */
export async function writeRange(writer: Writer, range: Range): Promise<void> {
  await cutOthers(writer, range)
  await insertRange(writer, range)
}

/**
 * Decodes the later topics and the data of a log; `undefined` if it only resembles one.
 */
export function rangeOfLog(
  topics: Uint8Array,
  data: Uint8Array,
):
  | { readonly first: Uint8Array; readonly last: Uint8Array; readonly owner: Uint8Array }
  | undefined {
  if (topics.length !== topicBytes || data.length < 32) return undefined
  const first = topics.slice(0, 32)
  const last = data.slice(0, 32)
  if (compareBytes(first, last) > 0) return undefined
  return { first, last, owner: topics.slice(76, 96) }
}

async function rangeAt(
  writer: Writer,
  from: { readonly batch: BlockBatch; readonly row: number; readonly interner: Interner },
): Promise<Range | undefined> {
  const { batch, row, interner } = from
  const { events, txs, arena } = batch
  const log = rangeOfLog(byteAt(arena, events.topics, row), byteAt(arena, events.data, row))
  if (log === undefined) return undefined
  const { first, last, owner } = log
  const place = u32At(events.address, row) * 20
  const contract = batch.addresses.slice(place, place + 20)
  const contractId = f64At(await interner.ids(writer, contract), 0)
  const isBurn = isZero(owner)
  const ownerId = isBurn ? null : f64At(await interner.ids(writer, owner), 0)
  const height = batch.from + u32At(txs.block, u32At(events.tx, row))
  const logIndex = Math.min(u32At(events.logIndex, row), placesPerBlock - 1)
  return { contractId, first, last, ownerId, at: height * placesPerBlock + logIndex, asked: 0 }
}

async function cutOthers(writer: Writer, range: Range): Promise<void> {
  const { contractId, first, last } = range
  const rows = await writer.all(touched, [contractId, last, contractId, first, noItem])
  for (const row of rows) {
    const other = rangeOf(row, contractId)
    if (compareBytes(other.last, first) < 0) continue
    await writer.remove(nftRange, { contract_id: [contractId], first_item: [other.first] })
    if (compareBytes(other.first, first) < 0)
      await insertRange(writer, { ...other, last: itemBeside(first, -1n) })
    if (compareBytes(other.last, last) > 0)
      await insertRange(writer, {
        ...other,
        first: itemBeside(last, 1n),
        asked: Math.min(other.asked, 0),
      })
  }
}

function rangeOf(row: Row, contractId: number): Range {
  const [first, last, ownerId, at, asked] = row
  return {
    contractId,
    first: first instanceof Uint8Array ? first : noItem,
    last: last instanceof Uint8Array ? last : noItem,
    ownerId: ownerId === null ? null : Number(ownerId),
    at: Number(at),
    asked: Number(asked),
  }
}

async function insertRange(writer: Writer, range: Range): Promise<void> {
  await writer.insert(nftRange, {
    contract_id: [range.contractId],
    first_item: [range.first],
    last_item: [range.last],
    owner_id: [range.ownerId],
    at: [range.at],
    asked: [range.asked],
  })
}

/** The token id one above or below. The caller knows that there is one. */
function itemBeside(item: Uint8Array, by: bigint): Uint8Array {
  return fromBigint(toBigint(item) + by, 32)
}
