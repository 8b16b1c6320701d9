/**
 * Speed and memory of the P-Chain's replay from bytes: decoding, state, and the embedded store.
 *
 *     node bench/primary-replay.ts [transactions] [folder]
 *
 * Another process makes the chain up first (`primary-chain.ts`); this one reads its file. As in the
 * product one thread replays and another one writes.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { callerOver } from '../src/indexing/port-call.ts'
import { openStoreOver } from '../src/indexing/primary/batch-calls.ts'
import { primaryHost } from '../src/indexing/primary/primary-host.ts'
import { primaryStoreTables } from '../src/indexing/primary/primary-store.ts'
import type {
  BlockBytes,
  PrimaryIdentity,
  PrimarySource,
} from '../src/source/primary/primary-source.ts'
import { openStore } from '../src/store/engine/open.ts'
import { localFacts } from './local-genesis.ts'

const wanted = Number(process.argv[2] ?? 200_000)
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'firn-bench-'))
const key = 'primary-bench'
// As `primary-chain.ts` makes them.
const perBlock = 10

const facts = localFacts()
const identity: PrimaryIdentity = {
  networkId: facts.networkId,
  nodeVersion: 'bench',
  genesisId: facts.genesisId,
  chainIds: { X: facts.xChainId, C: facts.cChainId },
  upgrades: {},
}

/** Blocks of the file, in order and each once; a stage asks for nothing else. */
function sourceOf(path: string): PrimarySource {
  const file = openSync(path, 'r')
  const size = new Uint8Array(4)
  const blocks = (height: number, until: number): BlockBytes[] => {
    const found: BlockBytes[] = []
    for (; height < until && readSync(file, size) === size.length; height++) {
      const bytes = new Uint8Array(new DataView(size.buffer).getUint32(0))
      readSync(file, bytes)
      found.push({ height, bytes, proposer: undefined })
    }
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

/** Milliseconds of this thread's own work so far, without that of the collector's threads. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

try {
  const path = join(folder, 'blocks')
  const maker = new URL('primary-chain.ts', import.meta.url).pathname
  execFileSync(process.execPath, [maker, String(wanted), path])
  // As `indexing/indexer.ts` starts it.
  const writer = new Worker(new URL('primary-store-thread.ts', import.meta.url), {
    workerData: folder,
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  })
  const ask = callerOver(writer)
  const store = await openStoreOver(ask, key, identity)
  const place = { store: 'embedded', dataDir: folder } as const
  const reader = await openStore(place, key, primaryStoreTables, 'read')
  const source = sourceOf(path)
  const host = primaryHost({ source, identity, genesis: store.genesis, reader, store })
  const replay = await host.replay('P')
  const { signal } = new AbortController()
  const storeBefore = Number(await ask('worked', {}))
  const before = workedMs()
  const allBefore = process.cpuUsage()
  const start = performance.now()
  // The first half pays for the compiler, which a real history of millions does not notice.
  let half = { height: 0, atMs: start }
  for (;;) {
    const range = replay.plan(replay.height() + 1, Number.MAX_SAFE_INTEGER)
    const fetched = range === undefined ? [] : await replay.fetch(range, signal)
    if (fetched.length === 0) break
    await host.commit(replay, fetched, signal)
    if (2 * perBlock * replay.height() < wanted) {
      half = { height: replay.height(), atMs: performance.now() }
    }
  }
  await host.settled()
  const end = performance.now()
  const all = process.cpuUsage(allBefore)
  const replayMs = workedMs() - before
  const storeMs = Number(await ask('worked', {})) - storeBefore
  await reader.close()
  const sizeBytes = Number(await ask('close', {}))
  await writer.terminate()
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1_024)
  const rate = (transactions: number, ms: number): number => Math.round((transactions * 1_000) / ms)
  const late = wanted - perBlock * half.height
  const each = (ms: number): string => ((ms * 1_000) / wanted).toFixed(1)
  process.stdout.write(
    `${wanted} transactions in ${replay.height()} blocks: ${rate(wanted, end - start)}/s, ` +
      `the second half of them ${rate(late, end - half.atMs)}/s\n` +
      `of own work each: replay ${each(replayMs)} us, store ${each(storeMs)} us; ` +
      `the process ${each((all.user + all.system) / 1_000)} us\n` +
      `most memory resident ${peakMib} MiB, ${Math.round(sizeBytes / wanted)} bytes stored each\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
