/** The replaying thread of `primary-replay.ts`: the product's host over a file of blocks. */

import { openSync, readSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'

import { openStoreOver } from '../src/indexing/primary/run/calls.ts'
import { primaryHost } from '../src/indexing/primary/run/host.ts'
import { callerOver } from '../src/indexing/stream/port-call.ts'
import type {
  BlockBytes,
  PrimaryIdentity,
  PrimarySource,
} from '../src/source/primary/primary-source.ts'
import { openStore } from '../src/store/open.ts'
import { primaryStoreTables } from '../src/store/schema/stores.ts'
import { localFacts } from './local-genesis.ts'
import { benchKey, type Replayed, type ReplayTask } from './primary-replay-task.ts'

const readAtOnce = 1_048_576

/**
 * Blocks of the file in order. Only the last one is asked for again, when it is a proposal whose
 * option comes after it. Calls of the system take longer than the blocks are worth, so that many are
 * read at once, as answers of nodes are.
 */
function sourceOf(path: string): PrimarySource {
  const file = openSync(path, 'r')
  let held = new Uint8Array(0)
  let at = 0
  const take = (size: number): Uint8Array | undefined => {
    if (at + size > held.length) {
      const more = new Uint8Array(Math.max(readAtOnce, size))
      const rest = held.subarray(at)
      more.set(rest)
      const read = readSync(file, more, rest.length, more.length - rest.length, null)
      held = more.subarray(0, rest.length + read)
      at = 0
      if (size > held.length) return undefined
    }
    at += size
    return held.slice(at - size, at)
  }
  let newest: BlockBytes | undefined
  const blocks = (from: number, until: number): BlockBytes[] => {
    const found = newest?.height === from ? [newest] : []
    for (let height = from + found.length; height < until; height++) {
      const size = take(4)
      const bytes =
        size === undefined
          ? undefined
          : take(new DataView(size.buffer, size.byteOffset).getUint32(0))
      if (bytes === undefined) break
      found.push({ height, bytes, proposer: undefined })
    }
    newest = found.at(-1)
    return found
  }
  const never = (): never => {
    throw new Error('the bench asks for blocks alone')
  }
  return {
    identity: never,
    headHeight: never,
    hasIndex: never,
    cBlocks: never,
    earlyCount: never,
    earlyTransactions: never,
    health: never,
    blocks: (_chain, { from, until }) => Promise.resolve(blocks(from, until)),
  }
}

const facts = localFacts()
const identity: PrimaryIdentity = {
  networkId: facts.networkId,
  nodeVersion: 'bench',
  genesisId: facts.genesisId,
  chainIds: { X: facts.xChainId, C: facts.cChainId },
  upgrades: {},
}

async function replayFile({ folder, blocks }: ReplayTask, port: MessagePort): Promise<Replayed> {
  const store = await openStoreOver(callerOver(port), benchKey, identity)
  const place = { store: 'embedded', dataDir: folder } as const
  const reader = await openStore(place, benchKey, primaryStoreTables, 'read')
  const source = sourceOf(blocks)
  const host = primaryHost({ source, identity, genesis: store.genesis, reader, store })
  const replay = await host.replay('P')
  const { signal } = new AbortController()
  const worked = process.threadCpuUsage()
  const all = process.cpuUsage()
  const start = performance.now()
  for (;;) {
    const range = replay.plan(replay.height() + 1, Number.MAX_SAFE_INTEGER)
    const fetched = range === undefined ? [] : await replay.fetch(range, signal)
    if (fetched.length === 0) break
    await host.commit(replay, fetched, signal)
  }
  await host.settled()
  const tookMs = performance.now() - start
  await reader.close()
  return {
    height: replay.height(),
    tookMs,
    workedUs: microseconds(process.threadCpuUsage(worked)),
    processUs: microseconds(process.cpuUsage(all)),
  }
}

function microseconds({
  user,
  system,
}: {
  readonly user: number
  readonly system: number
}): number {
  return user + system
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- set by primary-replay.ts
const task = workerData as ReplayTask
const replayed = await replayFile(task, task.port)
task.port.close()
parentPort?.postMessage(replayed)
