/** What `/status` says, from what the indexing threads tell or, where none run here, the stores. */

import type { ServedChain } from '../api/chain-directory.ts'
import { blockchainIdText } from '../api/chain-directory.ts'
import { operation, type Operation } from '../api/operation.ts'
import type { ChainStatus as IndexedChain } from '../indexing/indexer.ts'
import type { StageStatus as IndexedStage } from '../indexing/stage.ts'
import { statusShape, type ChainStatus, type StageStatus, type Status } from '../shape/status.ts'
import { checkpointHeights } from '../store/checkpoint.ts'
import { messageStore } from './chain-specs.ts'

/** Where the numbers come from. */
export type StatusParts = {
  readonly version: string
  readonly role: Status['role']
  readonly nodeId: () => string | undefined
  /** Absent where this process does not index. */
  readonly indexed: (() => readonly IndexedChain[]) | undefined
  readonly served: () => readonly ServedChain[]
}

/** `GET /status`. */
export function statusOperation(parts: StatusParts): Operation {
  return operation(statusShape, async () => ({ body: await statusOf(parts) }))
}

/** The whole status. */
export async function statusOf(parts: StatusParts): Promise<Status> {
  const nodeId = parts.nodeId()
  const chains =
    parts.indexed === undefined
      ? await Promise.all(parts.served().map(storedStatus))
      : await Promise.all(
          parts
            .indexed()
            .filter(({ key }) => key !== messageStore)
            .map((chain) => indexedStatus(chain, parts.served())),
        )
  const messages = parts.indexed?.().find(({ key }) => key === messageStore)?.stages[0]
  return {
    version: parts.version,
    role: parts.role,
    ...(nodeId === undefined ? {} : { nodeId }),
    chains,
    ...(messages === undefined ? {} : { messages: stageView(messages) }),
  }
}

async function indexedStatus(
  chain: IndexedChain,
  served: readonly ServedChain[],
): Promise<ChainStatus> {
  const one = served.find(({ facts: { key } }) => key === chain.key)
  const facts = one?.facts
  const stages = await withStored(chain.stages.map(stageView), one)
  const blockchainId = facts === undefined ? undefined : blockchainIdText(facts)
  return {
    chain: chain.key,
    kind: chain.key.startsWith('primary-') ? 'primary' : 'evm',
    network: chain.network === 'mainnet' ? 'mainnet' : 'fuji',
    name: chain.name,
    ...(facts === undefined ? {} : { evmChainId: facts.evmChainId }),
    ...(blockchainId === undefined ? {} : { blockchainId }),
    ...summaryOf(stages),
    stages,
  }
}

/** Until a node answers, the threads do not know what was stored before. */
async function withStored(
  stages: readonly StageStatus[],
  chain: ServedChain | undefined,
): Promise<StageStatus[]> {
  if (chain === undefined || stages.every(({ indexedHeight }) => indexedHeight >= 0))
    return [...stages]
  const heights = await checkpointHeights(chain.store)
  return stages.map((stage) => {
    const indexedHeight = Math.max(stage.indexedHeight, heights.get(stage.stage) ?? -1)
    return { ...stage, indexedHeight, headHeight: Math.max(stage.headHeight, indexedHeight) }
  })
}

/** `off` and waiting stages are no news: what is served is complete without them. */
function stageView(stage: IndexedStage): StageStatus {
  return { ...stage, state: stage.state === 'off' ? 'live' : stage.state }
}

/** The first stage bounds the answers; a stopped stage shows whatever stage it is. */
function summaryOf(stages: readonly StageStatus[]): Omit<StageStatus, 'stage'> {
  const [main] = stages
  if (main === undefined)
    return { state: 'syncing', indexedHeight: -1, headHeight: -1, blocksPerSecond: 0 }
  const { stage: _stage, ...summary } = main
  const stopped = stages.find(({ state }) => state === 'stopped')
  // Names of tokens may come later; what blocks and traces say is then complete all the same.
  const syncing = stages.some(({ stage, state }) => state === 'syncing' && stage !== 'tokens')
  if (stopped !== undefined) {
    return { ...summary, state: 'stopped', reason: stopped.reason ?? `${stopped.stage} stopped` }
  }
  return syncing ? { ...summary, state: 'syncing' } : summary
}

/** Another process indexes: what it committed is all this one knows. */
async function storedStatus(chain: ServedChain): Promise<ChainStatus> {
  const heights = await checkpointHeights(chain.store)
  const stages = [...heights].map(([stage, height]) => ({
    stage,
    state: 'live' as const,
    indexedHeight: height,
    headHeight: height,
    blocksPerSecond: 0,
  }))
  const blockchainId = blockchainIdText(chain.facts)
  return {
    chain: chain.facts.key,
    kind: 'evm',
    network: chain.facts.network,
    name: chain.facts.name,
    evmChainId: chain.facts.evmChainId,
    ...(blockchainId === undefined ? {} : { blockchainId }),
    ...summaryOf(stages.toSorted((a, b) => a.stage.localeCompare(b.stage))),
    stages,
  }
}
