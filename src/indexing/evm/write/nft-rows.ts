/** Rows of NFTs: who owns which token, how much of it, and ranges minted by one log. */

import {
  type BlockBatch,
  eventKinds,
  standardChangedBy,
} from '../../../codec/evm/columns/columns.ts'
import { toHex, compareBytes, fromBigint, toBigint, isZero } from '../../../core/bytes.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { wideBytes, wideInteger } from '../../../core/wide-integer.ts'
import { type ColumnsOf, type Writer, statement } from '../../../store/engine/database.ts'
import { token } from '../../../store/schema/evm.ts'
import { nftAmount, nftToken, nftRange } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { NewHoldings } from './balances.ts'
import { byteAt } from './batch-columns.ts'
import type { Interner } from './intern.ts'
import { newTokens } from './transfer-rows.ts'

/** A batch, the stored numbers of its addresses, and where the zero address is among them. */
export type AmountsInput = {
  readonly batch: BlockBatch
  readonly ids: Float64Array
  /** Place of the zero address among the batch's addresses, or -1. */
  readonly zero: number
  /** Heights of the transfers. */
  readonly heights: Float64Array
}

/** Writes what the NFT logs of a batch say. Does nothing for batches without. */
export async function writeNfts(
  writer: Writer,
  input: AmountsInput,
  interner: Interner,
): Promise<void> {
  const { transfers, events } = input.batch
  if (transfers.kind.some((kind) => standardChangedBy(kind) >= 721)) {
    const moves: Moves = { tokens: new Map(), amounts: new Map() }
    for (let row = 0; row < transfers.count; row++) {
      const standard = standardChangedBy(u8At(transfers.kind, row))
      if (standard === 721) addOwned(moves, input, row)
      else if (standard === 1155) addAmounts(moves, input, row)
    }
    const tokens = [...moves.tokens.values()]
    // Of a token of ERC-1155 only that it is there is stored; one of ERC-721 changes its owner.
    const stored = await writer.lookup(
      { table: nftToken, key: ['contract_id', 'standard', 'item'], select: ['at'] },
      [
        tokens.map(({ contractId }) => contractId),
        tokens.map(({ standard }) => standard),
        tokens.map(({ item }) => item),
      ],
    )
    const fresh = tokens.filter((_, row) => stored[row] === undefined)
    const known = tokens.filter((_, row) => stored[row] !== undefined)
    await writer.insert(nftToken, {
      ...columnsOf(fresh),
      uris_read: fresh.map(() => 0),
    })
    await writer.update(nftToken, columnsOf(known.filter(({ standard }) => standard === 721)))
    await writeAmounts(writer, [...moves.amounts.values()])
  }
  if (events.kind.includes(eventKinds.consecutiveTransfer)) {
    // Writes the ranges of a batch, and their contracts where they are new.
    for (const range of await rangesOf(writer, input.batch, interner)) {
      await writeRange(writer, range)
      const { contractId: id, at } = range
      const shown = { id, standard: 721, height: Math.floor(at / placesPerBlock) }
      await writer.insertNew(token, newTokens([shown]))
    }
  }
  await writeNftHoldings(writer, input, interner)
}

/** A token id of a contract, where its last transfer of the batch left it. */
type MovedToken = {
  readonly contractId: number
  readonly standard: 721 | 1155
  readonly item: Uint8Array
  ownerId: number | null
  at: number
}

/** Changes of one owner's amount of one token id in the batch. */
type MovedAmount = {
  readonly ownerId: number
  readonly contractId: number
  readonly item: Uint8Array
  readonly changes: { readonly height: number; readonly delta: bigint }[]
}

type Moves = {
  readonly tokens: Map<string, MovedToken>
  readonly amounts: Map<string, MovedAmount>
}

function addOwned({ tokens }: Moves, input: AmountsInput, row: number): void {
  const { batch, ids, zero, heights } = input
  const to = u32At(batch.transfers.to, row)
  const ownerId = to === zero ? null : f64At(ids, to)
  const at = placeOfLog(f64At(heights, row), u32At(batch.transfers.logIndex, row))
  const { contractId, item, key } = nftAt(input, row)
  const known = tokens.get(`721 ${key}`)
  if (known === undefined)
    tokens.set(`721 ${key}`, { contractId, standard: 721, item, ownerId, at })
  else {
    known.ownerId = ownerId
    known.at = at
  }
}

function addAmounts({ tokens, amounts }: Moves, input: AmountsInput, row: number): void {
  const { batch, ids, zero, heights } = input
  const { contractId, item, key } = nftAt(input, row)
  const height = f64At(heights, row)
  if (!tokens.has(`1155 ${key}`))
    tokens.set(`1155 ${key}`, { contractId, standard: 1155, item, ownerId: null, at: 0 })
  const from = u32At(batch.transfers.from, row)
  const to = u32At(batch.transfers.to, row)
  if (from === to) return
  const value = wideInteger(byteAt(batch.arena, batch.transfers.value, row))
  const change = (place: number, delta: bigint): void => {
    if (place === zero) return
    const ownerId = f64At(ids, place)
    const name = `${ownerId} ${key}`
    let moved = amounts.get(name)
    if (moved === undefined) amounts.set(name, (moved = { ownerId, contractId, item, changes: [] }))
    moved.changes.push({ height, delta })
  }
  change(from, -value)
  change(to, value)
}

/** Writes everybody whom a log about NFTs names. */
export async function writeNftHoldings(
  writer: Writer,
  input: AmountsInput,
  interner: Interner,
): Promise<void> {
  const { batch, ids, zero, heights } = input
  const { transfers } = batch
  const holdings = new NewHoldings()
  for (let row = 0; row < transfers.count; row++) {
    if (standardChangedBy(u8At(transfers.kind, row)) < 721) continue
    const tokenId = f64At(ids, u32At(transfers.token, row))
    const height = f64At(heights, row)
    for (const place of [u32At(transfers.from, row), u32At(transfers.to, row)])
      if (place !== zero) holdings.add(tokenId, f64At(ids, place), height)
  }
  for (const { contractId, ownerId, at } of await rangesOf(writer, batch, interner))
    if (ownerId !== null) holdings.add(contractId, ownerId, Math.floor(at / placesPerBlock))
  await holdings.write(writer)
}

/** Where a log lies in the history of its chain. */
export function placeOfLog(height: number, logIndex: number): number {
  return height * placesPerBlock + Math.min(logIndex, placesPerBlock - 1)
}

function nftAt(
  { batch, ids }: AmountsInput,
  row: number,
): { contractId: number; item: Uint8Array; key: string } {
  const contractId = f64At(ids, u32At(batch.transfers.token, row))
  const item = fullItem(byteAt(batch.arena, batch.transfers.tokenId, row))
  return { contractId, item, key: `${contractId} ${toHex(item)}` }
}

/** A token id as the tables have it: 32 bytes. */
export function fullItem(bytes: Uint8Array): Uint8Array {
  const item = new Uint8Array(32)
  item.set(bytes, 32 - bytes.length)
  return item
}

function columnsOf(tokens: readonly MovedToken[]): Omit<ColumnsOf<typeof nftToken>, 'uris_read'> {
  return {
    contract_id: tokens.map(({ contractId }) => contractId),
    standard: tokens.map(({ standard }) => standard),
    item: tokens.map(({ item }) => item),
    owner_id: tokens.map(({ ownerId }) => ownerId),
    at: tokens.map(({ at }) => at),
  }
}

async function writeAmounts(writer: Writer, moved: readonly MovedAmount[]): Promise<void> {
  const newest = await writer.lookup(
    {
      table: nftAmount,
      key: ['owner_id', 'contract_id', 'item'],
      select: ['amount', 'negative'],
      last: 'height',
    },
    [
      moved.map(({ ownerId }) => ownerId),
      moved.map(({ contractId }) => contractId),
      moved.map(({ item }) => item),
    ],
  )
  const rows: { of: MovedAmount; height: number; value: bigint }[] = []
  for (const [place, of] of moved.entries()) {
    const before = newest[place]
    const size = wideInteger(before?.[0] ?? new Uint8Array())
    let value = before?.[1] === 1 ? -size : size
    for (const [at, { height, delta }] of of.changes.entries()) {
      value += delta
      if (of.changes[at + 1]?.height !== height) rows.push({ of, height, value })
    }
  }
  await writer.insert(nftAmount, {
    owner_id: rows.map(({ of }) => of.ownerId),
    contract_id: rows.map(({ of }) => of.contractId),
    item: rows.map(({ of }) => of.item),
    height: rows.map(({ height }) => height),
    amount: rows.map(({ value }) => wideBytes(value < 0n ? -value : value)),
    negative: rows.map(({ value }) => (value < 0n ? 1 : 0)),
  })
}

// Ranges of ERC-721 tokens given away by one log.
//
// A range is one row however many ids it has. Ranges of a contract are kept apart: a new one cuts
// what it covers off the older ones. Source: ERC-2309.

/** A range as it is stored. */
type Range = {
  readonly contractId: number
  readonly first: Uint8Array
  readonly last: Uint8Array
  readonly ownerId: number | null
  readonly at: number
  /** Ids from the first whose URI was read; -1: all. */
  readonly urisRead: number
}

/** Bytes of the topics after the first: first id, sender, receiver. */
const topicBytes = 96

// The ranges a new one may touch: from the last that begins at or before it.
const touched = statement(
  `select first_item, last_item, owner_id, at, uris_read from nft_range
   where contract_id = ? and first_item <= ? and first_item >= coalesce((
     select b.first_item from nft_range b where b.contract_id = ? and b.first_item <= ?
     order by b.first_item desc limit 1), ?)
   order by first_item`,
)

const noItem = new Uint8Array(32)

/** Ranges that the logs of a batch give away, in order. */
async function rangesOf(writer: Writer, batch: BlockBatch, interner: Interner): Promise<Range[]> {
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
  const { contractId, first, last } = range
  const rows = await writer.all(touched, [contractId, last, contractId, first, noItem])
  for (const [ownFirst, ownLast, ownerId, at, urisRead] of rows) {
    const other = { contractId, first: ownFirst, last: ownLast, ownerId, at, urisRead }
    if (compareBytes(other.last, first) < 0) continue
    await writer.remove(nftRange, { contract_id: [contractId], first_item: [other.first] })
    if (compareBytes(other.first, first) < 0)
      await insertRange(writer, { ...other, last: itemBeside(first, -1n) })
    if (compareBytes(other.last, last) > 0)
      await insertRange(writer, {
        ...other,
        first: itemBeside(last, 1n),
        urisRead: Math.min(other.urisRead, 0),
      })
  }
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
  return { contractId, first, last, ownerId, at: height * placesPerBlock + logIndex, urisRead: 0 }
}

async function insertRange(writer: Writer, range: Range): Promise<void> {
  await writer.insert(nftRange, {
    contract_id: [range.contractId],
    first_item: [range.first],
    last_item: [range.last],
    owner_id: [range.ownerId],
    at: [range.at],
    uris_read: [range.urisRead],
  })
}

/** The token id one above or below. The caller knows that there is one. */
function itemBeside(item: Uint8Array, by: bigint): Uint8Array {
  return fromBigint(toBigint(item) + by, 32)
}
