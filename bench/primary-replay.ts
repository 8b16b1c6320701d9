/**
 * Speed and memory of the P-Chain's replay from bytes: decoding, state, and the embedded store.
 *
 *     node bench/primary-replay.ts [transactions] [folder]
 *
 * Another process makes the chain up first (`primary-chain.ts`); this one reads its file. One
 * thread does everything, as the product's P-Chain stage does.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { newAssetNumbers } from '../src/indexing/primary/asset-numbers.ts'
import { openReplay } from '../src/indexing/primary/chain-replay.ts'
import { beginPChain } from '../src/indexing/primary/genesis-rows.ts'
import { rulesOf } from '../src/indexing/primary/rules.ts'
import { openPrimaryRows } from '../src/indexing/primary/store-rows.ts'
import type { BlockBytes, PrimarySource } from '../src/source/primary/primary-source.ts'
import { openStore } from '../src/store/engine/open.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { primaryTables } from '../src/store/schema/primary.ts'
import { localFacts } from './local-genesis.ts'

const wanted = Number(process.argv[2] ?? 200_000)
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'firn-bench-'))

const facts = localFacts()
const rules = rulesOf(facts.networkId)

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

type Parts = { fetch: number; replay: number; store: number }

// Milliseconds by the clock, and of this thread's own work: the latter is what counts where other
// programs share the machine. It leaves out the collector's threads.
const spent: Parts = { fetch: 0, replay: 0, store: 0 }
const worked: Parts = { fetch: 0, replay: 0, store: 0 }

function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

async function timed<T>(part: keyof Parts, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  const startWork = workedMs()
  const value = await run()
  spent[part] += performance.now() - start
  worked[part] += workedMs() - startWork
  return value
}

function rates(title: string, { replay, store }: Parts, transactions: number): string {
  const each = (ms: number): string => ((ms * 1_000) / transactions).toFixed(1)
  const all = replay + store
  return (
    `${title}: replay ${each(replay)} us, store ${each(store)} us; together ${each(all)} us, ` +
    `${Math.round((transactions * 1_000) / all)}/s\n`
  )
}

try {
  const path = join(folder, 'blocks')
  const maker = new URL('primary-chain.ts', import.meta.url).pathname
  execFileSync(process.execPath, [maker, String(wanted), path])
  const tables = [...controlTables, ...primaryTables]
  const place = { store: 'embedded', dataDir: folder }
  const database = await openStore(place, 'primary-bench', tables, 'write')
  const rows = openPrimaryRows(database, { maxValidatorStake: rules.maxValidatorStake })
  const unguarded = (): Promise<number> => Promise.resolve(1)
  const assets = newAssetNumbers([])
  await rows.write(beginPChain(facts, rules, { utxoLimit: 0, assets }).batch, [], unguarded)
  const source = sourceOf(path)
  const replay = await openReplay('P', { source, facts, rules, rows, assets })
  const { signal } = new AbortController()
  let transactions = 0
  for (;;) {
    const range = replay.plan(replay.height() + 1, Number.MAX_SAFE_INTEGER)
    if (range === undefined) break
    const fetched = await timed('fetch', () => replay.fetch(range, signal))
    if (fetched.length === 0) break
    const batch = await timed('replay', () => replay.replay(fetched, rows.reader, signal))
    const raw = fetched.map((one) => one.raw)
    await timed('store', () => rows.write(batch, raw, unguarded))
    transactions += batch.ledger.transactions.count
  }
  const sizeBytes = await database.sizeBytes()
  await database.close()
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1_024)
  process.stdout.write(
    `${transactions} transactions in ${replay.height()} blocks\n` +
      rates('by the clock', spent, transactions) +
      rates('of own work', worked, transactions) +
      `most memory resident ${peakMib} MiB, ${Math.round(sizeBytes / transactions)} bytes stored each\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
