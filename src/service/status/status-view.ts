/** The answer of `/status`, from the indexing threads or, when none run here, from the stores. */

import { type ServedChain, blockchainIdText } from '../../api/operation/chain-directory.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import type { Clock } from '../../core/world.ts'
import { asBelieved, copiedStage } from '../../indexing/evm/copied/copied-stage.ts'
import type { ChainStatus as IndexedChain } from '../../indexing/run/status-board.ts'
import { overallOf } from '../../indexing/stream/overall-progress.ts'
import type { ChainStatus, CopiedHeights, StageStatus, Status } from '../../shape/status.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { confirmedShare, copiedHistory, type CopiedHistory } from '../../store/copied-history.ts'
import { type Reader, statement } from '../../store/engine/database.ts'
import { provenHeightOf, storedProofs, storedHeights } from '../../store/query/evm/heights.ts'
import { messageStore, primaryStream } from '../chain-specs.ts'
import type { LeaseWatch } from './lease-watch.ts'

/** Where the numbers come from. */
type StatusOptions = {
  readonly version: string
  readonly role: Status['role']
  readonly nodeId: () => string | undefined
  /** Absent where more than recordings is served. */
  readonly recording: (() => Status['recording']) | undefined
  /** Absent where this process does not index. */
  readonly indexed: (() => readonly IndexedChain[]) | undefined
  readonly served: () => readonly ServedChain[]
  readonly networks: () => readonly ServedNetwork[]
  /** Says whether another process indexes what this one serves. */
  readonly leases: LeaseWatch
}

/** The whole status. */
export async function statusOf(options: StatusOptions): Promise<Status> {
  const nodeId = options.nodeId()
  const chains =
    options.indexed === undefined
      ? await Promise.all(storedChains(options).map((chain) => storedStatus(chain, options.leases)))
      : await Promise.all(
          options
            .indexed()
            .filter(({ key }) => key !== messageStore)
            .map((chain) => indexedStatus(chain, options.served())),
        )
  const recording = options.recording?.()
  const messages = options.indexed?.().find(({ key }) => key === messageStore)?.stages[0]
  return {
    version: options.version,
    role: options.role,
    nodeId,
    recording,
    chains,
    messages,
  }
}

async function indexedStatus(
  chain: IndexedChain,
  served: readonly ServedChain[],
): Promise<ChainStatus> {
  const one = served.find(({ facts: { key } }) => key === chain.key)
  const facts = one?.facts
  const shown = chain.stages.map(({ isForeign: _known, ...stage }) => stage)
  const stages = await withStored(shown, one)
  const blockchainId = facts === undefined ? undefined : blockchainIdText(facts)
  return {
    chain: chain.key,
    kind: chain.key.startsWith('primary-') ? 'primary' : 'evm',
    network: chain.network === 'mainnet' ? 'mainnet' : 'fuji',
    name: chain.name,
    evmChainId: facts?.evmChainId,
    blockchainId,
    ...summaryOf(stages),
    ...(one === undefined ? {} : await problemOf(one.store, await one.logs?.())),
    overall: chain.overall ?? overallOf(stages),
    ...(one === undefined ? {} : heightsOf(await copiedHistory(one.store))),
    ...(one === undefined ? {} : await comparedOf(one.store)),
    stages,
  }
}

/**
 * Copied heights as `/status` shows them, of a history that came from a snapshot; nothing where
 * there is none.
 */
function heightsOf(copied: CopiedHistory | undefined): { readonly copied?: CopiedHeights } {
  if (copied === undefined) return {}
  const { from, until, without } = copied
  const share = confirmedShare(copied)
  return { copied: { from, height: until - 1, share, without } }
}

/**
 * Adds what only the store knows: heights until a node answers, and from where traces are complete.
 */
async function withStored(
  stages: readonly StageStatus[],
  chain: ServedChain | undefined,
): Promise<StageStatus[]> {
  if (chain === undefined) return [...stages]
  const { tracesSince, ...heights } = await storedHeights(chain.store)
  const proven = await provenOf(chain.store, heights.blocks)
  return stages.map((stage) => {
    if (stage.stage !== 'blocks' && stage.stage !== 'traces') return stage
    const indexedHeight = Math.max(stage.indexedHeight, heights[stage.stage])
    return {
      ...stage,
      indexedHeight,
      headHeight: Math.max(stage.headHeight, indexedHeight),
      ...(stage.stage === 'traces' ? completeFrom(tracesSince) : {}),
      ...(stage.stage === 'blocks' && stage.indexedHeight < 0 ? proven : {}),
    }
  })
}

const oldestLook = statement('select min(compared_at) from token')

/** When the token whose last look is oldest was looked at. */
async function comparedOf(store: Reader): Promise<Pick<ChainStatus, 'balancesComparedAt'>> {
  const oldest = (await store.get(oldestLook))?.[0]
  return typeof oldest === 'number' && oldest > 0 ? { balancesComparedAt: oldest } : {}
}

function completeFrom(height: number | undefined): { completeFrom?: number } {
  return height === undefined ? {} : { completeFrom: height }
}

const laterStages: ReadonlySet<string> = new Set(['tokens', 'slots', 'activity'])

/** The first stage bounds the answers; a stopped stage shows whatever stage it is. */
function summaryOf(stages: readonly StageStatus[]): Omit<StageStatus, 'stage'> {
  const [main] = stages
  if (main === undefined)
    return { state: 'syncing', indexedHeight: -1, headHeight: -1, blocksPerSecond: 0 }
  const { stage: _stage, ...summary } = main
  const stopped = stages.find(({ state }) => state === 'stopped')
  // Names of tokens, slots of proposers and lists of who was most active may come later; what blocks and traces say is then complete all the same.
  const syncing = stages.some(({ stage, state }) => state === 'syncing' && !laterStages.has(stage))
  if (stopped !== undefined) {
    return { ...summary, state: 'stopped', reason: stopped.reason ?? `${stopped.stage} stopped` }
  }
  return syncing ? { ...summary, state: 'syncing' } : summary
}

/** Files of history that cannot be read: answers that need them fail, whatever the stages do. */
async function problemOf(
  ...stores: readonly (Reader | undefined)[]
): Promise<Partial<Pick<StageStatus, 'state' | 'reason'>>> {
  const problems: string[] = []
  for (const each of stores) problems.push(...((await each?.historyProblems?.()) ?? []))
  return problems.length === 0 ? {} : { state: 'stopped', reason: problems.join('; ') }
}

/** A chain that another process indexes. */
type StoredChain = {
  readonly store: Reader
  readonly facts: Omit<ChainStatus, keyof StageStatus | 'stages'>
  /** Stages whose checkpoints give heights; the first bounds the answers. */
  readonly stages: readonly string[]
  /** Newest height of its node, where one gives it. */
  readonly head: () => Promise<number | undefined>
}

function storedChains({ served, networks }: StatusOptions): StoredChain[] {
  const chains = served().map(({ store, facts, headHeight }): StoredChain => {
    const { key, network, name, evmChainId } = facts
    const blockchainId = blockchainIdText(facts)
    const ids = { evmChainId, blockchainId }
    const shown = { chain: key, kind: 'evm', network, name, ...ids } as const
    return { store, facts: shown, stages: ['blocks', 'traces'], head: headHeight ?? unknownHead }
  })
  const primaries = networks().map(({ store, network }): StoredChain => {
    const { key, name } = primaryStream(network)
    const shown = { chain: key, kind: 'primary', network, name } as const
    return { store, facts: shown, stages: ['P', 'X', 'C'], head: unknownHead }
  })
  return [...chains, ...primaries]
}

const unknownHead = (): Promise<undefined> => Promise.resolve(undefined)

/** Up to where hashes prove the stored blocks, as their indexer wrote it down. */
async function provenOf(
  store: Reader,
  height = -1,
): Promise<Pick<StageStatus, 'provenHeight' | 'unverified'>> {
  if (height < 0) return {}
  const proofs = await storedProofs(store)
  const { unverified } = proofs
  return { provenHeight: provenHeightOf(proofs, height), unverified }
}

/** Another process indexes: what it committed is all this one knows. */
async function storedStatus(
  { store, facts, stages: names, head }: StoredChain,
  leases: LeaseWatch,
): Promise<ChainStatus> {
  const silentMs = await leases.silentMs(facts.chain, store)
  const newest = await head()
  const heights = await checkpointHeights(store)
  const since = names.includes('traces') ? (await storedHeights(store)).tracesSince : undefined
  const proven = await provenOf(store, heights.get('blocks'))
  const own = names.flatMap((stage): StageStatus[] => {
    const stored = heights.get(stage)
    if (stored === undefined && stage !== 'traces') return []
    // Below 0 is what the X-Chain had before its blocks.
    const height = Math.max(-1, stored ?? -1)
    const follows = stage === 'traces' ? (heights.get('blocks') ?? height) : (newest ?? height)
    const headHeight = Math.max(height, follows)
    const at = { indexedHeight: height, headHeight, blocksPerSecond: 0 }
    if (stored === undefined)
      return [{ stage, state: 'off', ...at, reason: 'no traces are stored' }]
    // A stage that no process indexes may be behind by any number of blocks.
    const state = height < headHeight || silentMs > 0 ? 'syncing' : 'live'
    const more = stage === 'traces' ? completeFrom(since) : stage === 'blocks' ? proven : {}
    return [{ stage, state, ...at, ...more }]
  })
  const copied = facts.kind === 'evm' ? await copiedHistory(store) : undefined
  const compared = copied && copiedStage(copied)
  const looked = facts.kind === 'evm' ? await comparedOf(store) : {}
  const stages = [...own, ...(compared === undefined ? [] : [compared])].map((stage) =>
    asBelieved(stage, compared),
  )
  const seconds = Math.round(silentMs / 1_000)
  const isSilent = silentMs > 0 && copied?.refused === undefined
  const reason = isSilent ? { reason: `no process has indexed it for ${seconds} s` } : {}
  const problem = await problemOf(store)
  const summary = { ...summaryOf(stages), ...reason, ...problem, overall: overallOf(stages) }
  return { ...facts, ...summary, ...heightsOf(copied), ...looked, stages }
}

// A source's head is read every few seconds, and reported every five.
const freshSeconds = 30

/** A stage as it was last reported. */
type ReportedStage = {
  /** Below 0 before a source gave one. */
  readonly headHeight: number
  /** Unix seconds at which a source gave it; absent before. */
  readonly headAt?: number | undefined
}

/** Knows the stages of chains; absent where this process does not index. */
type Stages =
  | { readonly stage: (key: string, name: string) => ReportedStage | undefined }
  | undefined

/**
 * Returns the head that a source lately reported for a stage of a chain; `undefined` where none
 * did.
 */
export function freshHeads(
  indexer: Stages,
  clock: Pick<Clock, 'now'>,
): (key: string, stage: string) => number | undefined {
  return (key, name) => {
    const stage = indexer?.stage(key, name)
    if (stage?.headAt === undefined) return undefined
    const age = clock.now() / 1_000 - stage.headAt
    return age > freshSeconds || stage.headHeight < 0 ? undefined : stage.headHeight
  }
}
