/**
 * Several batches in a row into one, so that the writer commits many blocks at once.
 *
 * Columns are copied whole; only rows that name something by number (address, block,
 * transaction, place in the arena) are shifted or looked up.
 */

import { assert } from '../../core/fault.ts'
import { buffersOf } from '../../core/growing.ts'
import { AddressBook } from './address-book.ts'
import type {
  BlockBatch,
  BlockColumns,
  EventColumns,
  Slices,
  TraceBatch,
  TransferColumns,
  TxColumns,
} from './columns.ts'
import { noAddress } from './columns.ts'

/** Joins batches whose ranges follow one another. One batch is given back as it is. */
export function mergeBlocks(batches: readonly BlockBatch[]): BlockBatch {
  const first = batches[0]
  assert(first !== undefined, 'there is a batch to merge')
  if (batches.length === 1) return first
  const shared = joined(batches)
  const blockShift = sums(batches.map(({ blocks }) => blocks.count))
  const txShift = sums(batches.map(({ txs }) => txs.count))
  return {
    kind: 'blocks',
    ...shared.base,
    blocks: joinedBlocks(
      batches.map(({ blocks }) => blocks),
      shared,
    ),
    txs: joinedTxs(
      batches.map(({ txs }) => txs),
      shared,
      blockShift,
    ),
    transfers: joinedTransfers(
      batches.map(({ transfers }) => transfers),
      shared,
      txShift,
    ),
    events: joinedEvents(
      batches.map(({ events }) => events),
      shared,
      txShift,
    ),
  }
}

/** Joins trace batches whose ranges follow one another. */
export function mergeTraces(batches: readonly TraceBatch[]): TraceBatch {
  const first = batches[0]
  assert(first !== undefined, 'there is a batch to merge')
  if (batches.length === 1) return first
  const { base, slices, ids } = joined(batches)
  const frames = batches.map((batch) => batch.frames)
  const blockShift = sums(batches.map(({ from, until }) => until - from))
  return {
    kind: 'traces',
    ...base,
    frames: {
      count: total(frames),
      block: shifted(
        frames.map((all) => all.block),
        blockShift,
      ),
      txIndex: words(frames.map((all) => all.txIndex)),
      position: words(frames.map((all) => all.position)),
      kind: bytes(frames.map((all) => all.kind)),
      from: ids(frames.map((all) => all.from)),
      to: ids(frames.map((all) => all.to)),
      value: slices(frames.map((all) => all.value)),
      gasLimit: doubles(frames.map((all) => all.gasLimit)),
      gasUsed: doubles(frames.map((all) => all.gasUsed)),
      reverted: bytes(frames.map((all) => all.reverted)),
    },
  }
}

/** Bytes a batch holds. */
export function sizeOf(batch: BlockBatch | TraceBatch): number {
  let size = 0
  for (const buffer of buffersOf(batch)) size += buffer.byteLength
  return size
}

function joinedBlocks(blocks: readonly BlockColumns[], { slices }: Joined): BlockColumns {
  return {
    count: total(blocks),
    hash: bytes(blocks.map((all) => all.hash)),
    parentHash: bytes(blocks.map((all) => all.parentHash)),
    timestamp: doubles(blocks.map((all) => all.timestamp)),
    timestampMs: doubles(blocks.map((all) => all.timestampMs)),
    gasUsed: doubles(blocks.map((all) => all.gasUsed)),
    gasLimit: doubles(blocks.map((all) => all.gasLimit)),
    baseFee: slices(blocks.map((all) => all.baseFee)),
    hasBaseFee: bytes(blocks.map((all) => all.hasBaseFee)),
    blockGasCost: doubles(blocks.map((all) => all.blockGasCost)),
    minDelayExcess: doubles(blocks.map((all) => all.minDelayExcess)),
    txCount: words(blocks.map((all) => all.txCount)),
    inputs: slices(blocks.map((all) => all.inputs)),
  }
}

function joinedTxs(
  txs: readonly TxColumns[],
  { slices, ids }: Joined,
  blockShift: readonly number[],
): TxColumns {
  return {
    count: total(txs),
    block: shifted(
      txs.map((all) => all.block),
      blockShift,
    ),
    hash: bytes(txs.map((all) => all.hash)),
    from: ids(txs.map((all) => all.from)),
    to: ids(txs.map((all) => all.to)),
    created: ids(txs.map((all) => all.created)),
    value: slices(txs.map((all) => all.value)),
    gasLimit: doubles(txs.map((all) => all.gasLimit)),
    gasUsed: doubles(txs.map((all) => all.gasUsed)),
    gasPrice: slices(txs.map((all) => all.gasPrice)),
    hasMaxFee: bytes(txs.map((all) => all.hasMaxFee)),
    maxFee: slices(txs.map((all) => all.maxFee)),
    maxPriorityFee: slices(txs.map((all) => all.maxPriorityFee)),
    nonce: doubles(txs.map((all) => all.nonce)),
    type: bytes(txs.map((all) => all.type)),
    status: bytes(txs.map((all) => all.status)),
    inputLength: words(txs.map((all) => all.inputLength)),
    selector: words(txs.map((all) => all.selector)),
  }
}

function joinedTransfers(
  transfers: readonly TransferColumns[],
  { slices, ids }: Joined,
  txShift: readonly number[],
): TransferColumns {
  return {
    count: total(transfers),
    tx: shifted(
      transfers.map((all) => all.tx),
      txShift,
    ),
    logIndex: words(transfers.map((all) => all.logIndex)),
    batchIndex: words(transfers.map((all) => all.batchIndex)),
    kind: bytes(transfers.map((all) => all.kind)),
    token: ids(transfers.map((all) => all.token)),
    from: ids(transfers.map((all) => all.from)),
    to: ids(transfers.map((all) => all.to)),
    value: slices(transfers.map((all) => all.value)),
    tokenId: slices(transfers.map((all) => all.tokenId)),
  }
}

function joinedEvents(
  events: readonly EventColumns[],
  { slices, ids }: Joined,
  txShift: readonly number[],
): EventColumns {
  return {
    count: total(events),
    tx: shifted(
      events.map((all) => all.tx),
      txShift,
    ),
    logIndex: words(events.map((all) => all.logIndex)),
    address: ids(events.map((all) => all.address)),
    kind: bytes(events.map((all) => all.kind)),
    topics: slices(events.map((all) => all.topics)),
    data: slices(events.map((all) => all.data)),
  }
}

type Joined = {
  readonly base: {
    readonly from: number
    readonly until: number
    readonly arena: Uint8Array
    readonly addresses: Uint8Array
  }
  readonly slices: (parts: readonly Slices[]) => Slices
  readonly ids: (parts: readonly Uint32Array[]) => Uint32Array
}

/** What all columns need: one arena, one address list, and how numbers move. */
function joined(batches: readonly (BlockBatch | TraceBatch)[]): Joined {
  for (let at = 1; at < batches.length; at++)
    assert(batches[at]?.from === batches[at - 1]?.until, 'merged batches follow one another')
  const arenaShift = sums(batches.map(({ arena }) => arena.length))
  const addresses = new AddressBook(1024)
  const maps = batches.map((batch) => addresses.join(batch.addresses))
  return {
    base: {
      from: batches[0]?.from ?? 0,
      until: batches.at(-1)?.until ?? 0,
      arena: bytes(batches.map(({ arena }) => arena)),
      addresses: addresses.taken(),
    },
    slices: (parts) => ({
      offset: shifted(
        parts.map(({ offset }) => offset),
        arenaShift,
      ),
      length: words(parts.map(({ length }) => length)),
    }),
    ids: (parts) => looked(parts, maps),
  }
}

function total(parts: readonly { readonly count: number }[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0)
}

/** Running sums, 0 first. */
function sums(sizes: readonly number[]): number[] {
  const all = [0]
  for (const size of sizes) all.push((all.at(-1) ?? 0) + size)
  return all
}

function lengthOf(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0)
}

function bytes(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(lengthOf(parts))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function words(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lengthOf(parts))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function doubles(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lengthOf(parts))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function shifted(parts: readonly Uint32Array[], shifts: readonly number[]): Uint32Array {
  const all = new Uint32Array(lengthOf(parts))
  let to = 0
  for (let part = 0; part < parts.length; part++) {
    const shift = shifts[part] ?? 0
    const values = parts[part] ?? all
    for (let at = 0; at < values.length; at++) all[to++] = (values[at] ?? 0) + shift
  }
  return all
}

function looked(parts: readonly Uint32Array[], maps: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lengthOf(parts))
  let to = 0
  for (let part = 0; part < parts.length; part++) {
    const map = maps[part] ?? all
    const values = parts[part] ?? all
    for (let at = 0; at < values.length; at++) {
      const id = values[at] ?? 0
      all[to++] = id === noAddress ? noAddress : (map[id] ?? 0)
    }
  }
  return all
}
