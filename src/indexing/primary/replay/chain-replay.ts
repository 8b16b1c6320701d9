/** The three replays behind one form: what to fetch next, and what to make of it. */

import type { GenesisFacts } from '../../../codec/primary/genesis.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import type { RawBlockBytes } from '../../../store/query/primary/blocks.ts'
import type { AssetNumbers } from '../batch/asset-numbers.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { LedgerRoom } from '../batch/ledger.ts'
import {
  type RawColumns,
  rawColumns,
  rawOfBlock,
  rawOfCBlock,
  rawOfEarly,
} from '../batch/raw-blocks.ts'
import type { RowBatch } from '../batch/rows.ts'
import type { PrimaryRules } from '../batch/rules.ts'
import type { Found, UtxoReader, Wanted, StoredState } from '../batch/stored-state.ts'
import { applyCBlocks, beginCChain, loadCState, wantedOfCBlocks } from './c/replay-c.ts'
import { networkIdsOf } from './chains.ts'
import { fetchEnough, newBatchSize, newDraft, type Draft, type DraftStart } from './draft.ts'
import { applyPBlocks, wantedOfPBlocks } from './p/replay-p.ts'
import { loadPState } from './p/state.ts'
import { readCBlock, readPBlock, readXBlock, readXTransactionAlone } from './read-blocks.ts'
import { changesOf, type SharedChanges } from './shared-changes.ts'
import { endBatch } from './utxo-set.ts'
import {
  applyXBlocks,
  applyXDag,
  dagHeight,
  loadXState,
  wantedOfXBlocks,
  wantedOfXDag,
} from './x/replay-x.ts'

/** Heights `[from, until)`. */
export type Heights = { readonly from: number; readonly until: number }

/** Something fetched: its height and bytes, how it is kept, and how it is decoded. */
export type Fetched<R> = {
  readonly height: number
  readonly size: number
  readonly raw: () => RawBlockBytes
  /** Throws `bad-bytes`. */
  readonly read: () => R
}

/** Result of replaying blocks, and the blocks as they are kept. */
export type ReplayedBatch = {
  readonly rows: RowBatch
  readonly raw: RawColumns
  /** Changes of outputs between chains. */
  readonly shared: SharedChanges
}

/** One chain's replay over its state. After a fault it is void. */
export type ChainReplay = {
  readonly chain: ChainName
  /** Last height replayed. */
  readonly height: () => number
  /** Heights to fetch from `from` on, as far as `head`; `undefined` when there are none. */
  readonly plan: (from: number, head: number) => Heights | undefined
  /** Fetches heights in order, as many of them as a batch takes. */
  readonly fetch: (range: Heights, signal: AbortSignal) => Promise<Fetched<unknown>[]>
  /** Replays what was fetched into one batch, as far as it can be. */
  readonly replay: (
    fetched: readonly Fetched<unknown>[],
    find: UtxoReader['find'],
    signal: AbortSignal,
  ) => Promise<ReplayedBatch>
}

/** All that a chain is replayed over. */
type ReplayOptions = {
  readonly source: PrimarySource
  readonly facts: GenesisFacts
  readonly rules: PrimaryRules
  readonly state: StoredState
  readonly assets: AssetNumbers
  /** UTXOs a chain keeps. */
  readonly utxoLimit: number
}

/** UTXOs to keep: 14 MiB of room. Any other UTXO costs a look-up of 11 us. */
export const usualUtxoLimit = 3 * 2 ** 15
// Nodes give C-Chain blocks whole, and few of them hold what is wanted here.
const cBatchHeights = 512

/** The replay of `chain`, going on where its rows end. */
export async function openReplay(chain: ChainName, options: ReplayOptions): Promise<ChainReplay> {
  switch (chain) {
    case 'P':
      return pReplay(options)
    case 'X':
      return xReplay(options)
    case 'C':
      return cReplay(options)
  }
}

function straight(from: number, head: number, most: number): Heights | undefined {
  if (from > head) return undefined
  // The newest block comes alone: a batch of it can be taken back.
  return { from, until: from === head ? head + 1 : Math.min(head, from + most) }
}

async function pReplay({
  source,
  facts,
  rules,
  state: stored,
  assets,
  utxoLimit,
}: ReplayOptions): Promise<ChainReplay> {
  const rows = await stored.pState()
  if (rows === undefined) throw new Error('broken invariant: genesis is stored before blocks')
  const state = loadPState(rules, networkIdsOf(facts), { rows, utxoLimit, assets })
  const size = newBatchSize()
  return chainReplay({
    chain: 'P',
    height: () => state.height,
    plan: (from, head) => {
      // No range ends one block below the head: a proposal is replayed with its option.
      const most = size.heights()
      if (from > head) return undefined
      return { from, until: head - from <= 2 ? head + 1 : Math.min(head - 1, from + most) }
    },
    fetch: async (range, signal) => {
      const blocks = await fetchEnough(range, (part) => source.blocks('P', part, signal))
      size.saw(blocks)
      return blocks.map((block) => ({
        height: block.height,
        size: block.bytes.length,
        raw: () => rawOfBlock('P', block),
        read: () => readPBlock(block.bytes, block.proposer),
      }))
    },
    start: () => ({ firstUtxo: state.utxos.next, follows: state.height }),
    wanted: (reads) => wantedOfPBlocks(state, reads),
    apply: (draft, reads, found) => applyPBlocks(state, draft, reads, found),
    end: (draft) => endBatch(state, draft),
  })
}

type XRead =
  | { readonly block: ReturnType<typeof readXBlock> }
  | { readonly early: ReturnType<typeof readXTransactionAlone> }

const blocksOf = (reads: readonly XRead[]): ReturnType<typeof readXBlock>[] =>
  reads.flatMap((read) => ('block' in read ? [read.block] : []))
const earlyOf = (reads: readonly XRead[]): ReturnType<typeof readXTransactionAlone>[] =>
  reads.flatMap((read) => ('early' in read ? [read.early] : []))

/** Transactions of the DAG at these heights, of `count` that there are. */
async function earlyIn(
  source: PrimarySource,
  { from, until }: { readonly from: number; readonly until: number },
  count: number,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const places = { from: from - dagHeight, until: Math.min(until - dagHeight, count) }
  return places.from >= places.until ? [] : source.earlyTransactions(places, signal)
}

/** Before block 0 come the transactions of the DAG, as many as the node's index has. */
async function xReplay({
  source,
  facts,
  state: stored,
  assets,
  utxoLimit,
}: ReplayOptions): Promise<ChainReplay> {
  const checkpoint = await stored.checkpoint('X')
  if (checkpoint === undefined) throw new Error('broken invariant: genesis is stored before blocks')
  const state = loadXState(networkIdsOf(facts), checkpoint, { utxoLimit, assets })
  const size = newBatchSize()
  let early: number | undefined
  return chainReplay<XRead>({
    chain: 'X',
    height: () => state.height,
    plan: (from, head) => {
      const end = early === undefined ? undefined : dagHeight + early
      // The content of the index is known after the first fetch; until then one step is planned.
      if (from < 0 && end === undefined) return { from, until: from + 1 }
      if (from < 0 && end !== undefined && from < end) {
        return { from, until: Math.min(end, from + size.heights()) }
      }
      return straight(Math.max(from, 0), head, size.heights())
    },
    fetch: async (range, signal) => {
      if (range.from < 0) {
        early ??= await source.earlyCount(signal)
        const found = await earlyIn(source, range, early, signal)
        size.saw(found.map((bytes) => ({ bytes })))
        return found.map((bytes, at) => ({
          height: range.from + at,
          size: bytes.length,
          raw: () => rawOfEarly(range.from + at, bytes),
          read: () => ({ early: readXTransactionAlone(bytes) }),
        }))
      }
      const blocks = await fetchEnough(range, (part) => source.blocks('X', part, signal))
      size.saw(blocks)
      return blocks.map((block) => ({
        height: block.height,
        size: block.bytes.length,
        raw: () => rawOfBlock('X', block),
        read: () => ({ block: readXBlock(block.bytes, block.proposer) }),
      }))
    },
    start: () => ({ firstUtxo: state.utxos.next, follows: state.height }),
    wanted: (reads) => {
      const blocks = blocksOf(reads)
      return blocks.length > 0
        ? wantedOfXBlocks(state, blocks)
        : wantedOfXDag(state, earlyOf(reads))
    },
    apply: (draft, reads, found) => {
      const blocks = blocksOf(reads)
      if (blocks.length > 0) applyXBlocks(state, draft, blocks, found)
      else applyXDag(state, draft, earlyOf(reads), found)
    },
    end: (draft) => endBatch(state, draft),
  })
}

async function cReplay({
  source,
  facts,
  rules,
  state: stored,
  assets,
}: ReplayOptions): Promise<ChainReplay> {
  const checkpoint = await stored.checkpoint('C')
  const ids = networkIdsOf(facts)
  const isFirst = (): boolean => state.blockId.length === 0
  const state =
    checkpoint === undefined
      ? beginCChain(rules, ids, assets)
      : loadCState(rules, ids, { checkpoint, assets })
  return chainReplay({
    chain: 'C',
    height: () => state.height,
    plan: (from, head) => straight(from, head, cBatchHeights),
    fetch: async (range, signal) =>
      (await source.cBlocks(range, signal)).map((block) => ({
        height: block.height,
        size: block.extraData.length,
        raw: () => rawOfCBlock(block),
        read: () => readCBlock(block, rules.upgrades.apricotPhase5),
      })),
    start: () => ({ firstUtxo: state.utxos.next, follows: isFirst() ? undefined : state.height }),
    wanted: (reads) => wantedOfCBlocks(state, reads),
    apply: (draft, reads, found) => applyCBlocks(state, draft, reads, found),
    end: (draft) => endBatch(state, draft),
  })
}

/** How the blocks of one chain are fetched and applied. */
type ChainSteps<R> = Omit<ChainReplay, 'fetch' | 'replay'> & {
  readonly fetch: (range: Heights, signal: AbortSignal) => Promise<Fetched<R>[]>
  readonly start: () => Pick<DraftStart, 'firstUtxo' | 'follows'>
  /** Look-ups that `apply` of the same blocks needs. */
  readonly wanted: (reads: readonly R[]) => Wanted
  readonly apply: (draft: Draft, reads: readonly R[], found: Found) => void
  readonly end: (draft: Draft) => RowBatch
}

// Some 80 transactions: most of what is decoded of them is gone when the young heap is collected.
const pieceBytes = 2 ** 15

function chainReplay<R>({ start, wanted, apply, end, ...chain }: ChainSteps<R>): ChainReplay {
  let room: LedgerRoom | undefined
  const replay = async (
    fetched: readonly Fetched<R>[],
    find: UtxoReader['find'],
    signal: AbortSignal,
  ): Promise<ReplayedBatch> => {
    const draft = newDraft(chain.chain, { ...start(), room })
    let reads: R[] = []
    let bytes = 0
    for (const [at, one] of fetched.entries()) {
      reads.push(readOf(chain.chain, one))
      bytes += one.size
      if (bytes < pieceBytes && at < fetched.length - 1) continue
      const before = chain.height()
      apply(draft, reads, await find(wanted(reads), signal))
      // A proposal waits for its option.
      reads = reads.slice(chain.height() - before)
      bytes = 0
    }
    room = draft.ledger.room()
    const rows = end(draft)
    const kept = fetched.filter(({ height }) => height < rows.until)
    const raw = rawColumns(kept.map((one) => one.raw()))
    return { rows, raw, shared: changesOf(draft) }
  }
  return {
    ...chain,
    replay: (fetched, find, signal) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by this chain's fetch
      replay(fetched as readonly Fetched<R>[], find, signal),
  }
}

/** Decodes a fetched block. Throws `bad-bytes`, which names the block. */
function readOf<R>(chain: ChainName, { height, read }: Fetched<R>): R {
  try {
    return read()
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'bad-bytes') throw error
    throw new Fault('bad-bytes', `${chain}-Chain block ${height}: ${fault.message}`, {
      cause: error,
      detail: { ...fault.detail, chain, height },
    })
  }
}
