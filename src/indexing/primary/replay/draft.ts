/**
 * The batch being made: lists that grow while blocks are replayed, and what changed in them.
 *
 * Stakers, subnets and L1 validators are mutable while they live in memory; the batch gets copies
 * when it closes, so that a store may still write the last batch while the next is replayed.
 */

import { Fault } from '../../../core/fault.ts'
import type { AssetNumbers } from '../batch/asset-numbers.ts'
import { GrowingBlocks } from '../batch/block-columns.ts'
import type {
  AssetRow,
  AssetTransaction,
  ChainName,
  EarlyImportRow,
  ImportCompletionRow,
  KnownUtxo,
  StakeReturnRow,
} from '../batch/ledger-rows.ts'
import { Ledger, type LedgerRoom } from '../batch/ledger.ts'
import type { Checkpoint, RowBatch } from '../batch/rows.ts'
import { stakersOfBatch } from '../batch/staker-columns.ts'
import type {
  CycleRow,
  RewardRow,
  StakeDayRow,
  StakerRow,
  SupplyRow,
} from '../batch/staking-rows.ts'
import type {
  BlockchainRow,
  L1ChangeRow,
  L1ValidatorRow,
  SubnetOwnerRow,
  SubnetRow,
} from '../batch/subnet-rows.ts'

/** A row that may still change. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A staking period in memory. */
export type Staker = Mutable<StakerRow>

/** A batch being made; `firstUtxo` is the number of the next UTXO its chain makes. */
export type Draft = {
  readonly chain: ChainName
  readonly firstUtxo: number
  /** Height of the batch before; `undefined` for a chain's first. */
  readonly follows: number | undefined
  /** First height in it, once there is one. */
  from: number | undefined
  readonly blocks: GrowingBlocks
  readonly ledger: Ledger
  readonly stakeReturns: StakeReturnRow[]
  readonly earlyImports: EarlyImportRow[]
  readonly importCompletions: ImportCompletionRow[]
  /** UTXOs between chains it made or spent, by `outputKeyOf`, as they are after it. */
  readonly crossing: Map<string, KnownUtxo>
  readonly stakers: Set<Staker>
  readonly cycles: CycleRow[]
  /** By subnet and day. */
  readonly stakeDays: Map<string, StakeDayRow>
  readonly rewards: RewardRow[]
  readonly subnets: Set<Mutable<SubnetRow>>
  readonly subnetOwners: SubnetOwnerRow[]
  readonly blockchains: BlockchainRow[]
  readonly assets: AssetRow[]
  readonly assetTransactions: AssetTransaction[]
  readonly l1Validators: Set<Mutable<L1ValidatorRow>>
  readonly l1Changes: L1ChangeRow[]
  readonly supplies: Map<string, SupplyRow>
  /** Net nAVAX that its transactions burned, see `Checkpoint`. */
  burned: bigint
}

/** Parts of a batch that a function may add to. */
export type Adds<K extends keyof Draft> = { readonly draft: Pick<Draft, K> }

/** Start of a draft: see {@link Draft}; and the room its ledger is expected to need. */
export type DraftStart = Pick<Draft, 'firstUtxo' | 'follows'> & {
  readonly room?: LedgerRoom | undefined
}

/** An empty draft. */
export function newDraft(chain: ChainName, { firstUtxo, follows, room }: DraftStart): Draft {
  return {
    chain,
    firstUtxo,
    follows,
    from: undefined,
    blocks: new GrowingBlocks(),
    ledger: new Ledger(room),
    stakeReturns: [],
    earlyImports: [],
    importCompletions: [],
    crossing: new Map(),
    stakers: new Set(),
    cycles: [],
    stakeDays: new Map(),
    rewards: [],
    subnets: new Set(),
    subnetOwners: [],
    blockchains: [],
    assets: [],
    assetTransactions: [],
    l1Validators: new Set(),
    l1Changes: [],
    supplies: new Map(),
    burned: 0n,
  }
}

/** The finished batch; what lives on in memory is copied. */
export function closeDraft(draft: Draft, assets: AssetNumbers, checkpoint: Checkpoint): RowBatch {
  // Rows of an empty batch are not stored: numbers still to be stored wait for the next.
  const newAssets = draft.from === undefined ? [] : assets.taken()
  const until = checkpoint.height + 1
  const from = draft.from ?? until
  const stakers = stakersOfBatch(draft.stakers, { from, ledger: draft.ledger })
  return {
    chain: draft.chain,
    follows: draft.follows,
    from,
    until,
    blocks: draft.blocks.taken(),
    ledger: draft.ledger.taken(),
    newAssets,
    stakeReturns: draft.stakeReturns,
    earlyImports: draft.earlyImports,
    importCompletions: draft.importCompletions,
    stakers,
    cycles: draft.cycles,
    stakeDays: [...draft.stakeDays.values()],
    rewards: draft.rewards,
    subnets: [...draft.subnets].map((subnet) => ({ ...subnet })),
    subnetOwners: draft.subnetOwners,
    blockchains: draft.blockchains,
    assets: draft.assets,
    assetTransactions: draft.assetTransactions,
    l1Validators: [...draft.l1Validators].map((validator) => ({ ...validator })),
    l1Changes: draft.l1Changes,
    supplies: [...draft.supplies.values()],
    checkpoint,
  }
}

/** Where something happens: a block of a chain, a transaction in it. */
export type Place = {
  readonly chain: ChainName
  readonly height: number
  readonly position: number
  readonly time: number
  readonly txId: Uint8Array
  /** Height from which sets of validators show it: of a proposal's decisions, the option's. */
  readonly setHeight?: number
}

/** The fault for a block that does not name `follows` as its parent. */
export function unlinked(
  place: { readonly chain: ChainName; readonly height: number },
  follows: number,
): Fault {
  const { message, detail } = violation(place, `block does not follow block ${follows}`)
  return new Fault('state-violation', message, { detail: { ...detail, follows } })
}

/** The fault of a block that contradicts the state before it. */
export function violation(
  place: Pick<Place, 'chain' | 'height'> & { readonly txId?: Uint8Array },
  message: string,
): Fault {
  const { chain, height, txId } = place
  return new Fault('state-violation', `${chain}-Chain block ${height}: ${message}`, {
    detail: {
      chain,
      height,
      ...(txId === undefined ? {} : { txId: Buffer.from(txId).toString('hex') }),
    },
  })
}

/** Heights to fetch next. */
type BatchSize = {
  readonly heights: () => number
  /** Records what a fetch gave. */
  readonly saw: (blocks: readonly { readonly bytes: Uint8Array }[]) => void
}

// Some 22,000 transactions, as columns about as large again until they are stored: an eighth of them
// took 1.5 times as long to store, for a tree's pages are written more often.
const goodBytes = 2 ** 23
const firstHeights = 256
const fewestHeights = 16
// Small blocks cost something each, whatever is in them: with three times as many, a chain of stakes
// and rewards was replayed no faster and took 85 MiB more.
const mostHeights = 4_096

/**
 * Batches that may be replayed and not stored: a store's log is written back every few of them, and
 * with one the other thread would wait meanwhile.
 */
export const mostAhead = 2

/** A size that follows the blocks, at most doubling at a time. */
export function newBatchSize(): BatchSize {
  let heights = firstHeights
  return {
    heights: () => heights,
    saw: (blocks) => {
      let bytes = 0
      for (const block of blocks) bytes += block.bytes.length
      if (bytes === 0) return
      const good = Math.floor((goodBytes * blocks.length) / bytes)
      heights = Math.max(fewestHeights, Math.min(good, 2 * heights, mostHeights))
    },
  }
}

/** Something of a chain by its bytes. */
type Sized = { readonly bytes: Uint8Array }

// Blocks after small ones may be as large as they can be: 128 MiB of these at most.
const partHeights = 1_024

/**
 * Fetches heights `[from, until)` part by part, and no more of them once there is enough for a
 * batch: blocks may have grown since their number was chosen.
 */
export async function fetchEnough<T extends Sized>(
  { from, until }: { readonly from: number; readonly until: number },
  fetch: (part: { readonly from: number; readonly until: number }) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = []
  let bytes = 0
  for (let at = from; at < until && bytes < goodBytes; at += partHeights) {
    for (const one of await fetch({ from: at, until: Math.min(until, at + partHeights) })) {
      found.push(one)
      bytes += one.bytes.length
    }
  }
  return found
}
