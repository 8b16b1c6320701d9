/**
 * Speed and memory of the P-Chain's replay from bytes: decoding, state, and the embedded store.
 *
 *     node bench/primary-replay.ts [transactions] [folder]
 *
 * Another process makes the chain up first (`primary-chain.ts`); this one reads its file. One
 * thread does everything, as the product's P-Chain stage does.
 */

import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { newAssetNumbers } from '../src/indexing/primary/asset-numbers.ts'
import { newBatchSize } from '../src/indexing/primary/batch-size.ts'
import { utxoLimit } from '../src/indexing/primary/chain-replay.ts'
import { beginPChain } from '../src/indexing/primary/genesis-rows.ts'
import { rawOfBlock } from '../src/indexing/primary/raw-blocks.ts'
import { readPBlock } from '../src/indexing/primary/read-blocks.ts'
import { applyPBlocks, wantedOfPBlocks } from '../src/indexing/primary/replay-p.ts'
import { rulesOf } from '../src/indexing/primary/rules.ts'
import { openPrimaryRows } from '../src/indexing/primary/store-rows.ts'
import { openStore } from '../src/store/engine/open.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { primaryTables } from '../src/store/schema/primary.ts'
import { localFacts } from './local-genesis.ts'

const wanted = Number(process.argv[2] ?? 200_000)
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'firn-bench-'))

const facts = localFacts()
const rules = rulesOf(facts.networkId)

type Block = { readonly height: number; readonly bytes: Uint8Array }

/** The next blocks of the file, at most `count`. */
function readBlocks(file: number, from: number, count: number): Block[] {
  const blocks: Block[] = []
  const size = new Uint8Array(4)
  while (blocks.length < count && readSync(file, size) === size.length) {
    const bytes = new Uint8Array(new DataView(size.buffer).getUint32(0))
    readSync(file, bytes)
    blocks.push({ height: from + blocks.length, bytes })
  }
  return blocks
}

type Parts = { decode: number; look: number; state: number; store: number }

// Milliseconds by the clock, and of this thread's own work: the latter is what counts where other
// programs share the machine. It leaves out the collector's threads.
const spent: Parts = { decode: 0, look: 0, state: 0, store: 0 }
const worked: Parts = { decode: 0, look: 0, state: 0, store: 0 }

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

function rates(title: string, parts: Parts, transactions: number): string {
  const each = (ms: number): string => ((ms * 1_000) / transactions).toFixed(1)
  const all = parts.decode + parts.look + parts.state + parts.store
  return (
    `${title}: decode ${each(parts.decode)} us, look-up ${each(parts.look)} us, ` +
    `state ${each(parts.state)} us, store ${each(parts.store)} us; together ${each(all)} us, ` +
    `${Math.round((transactions * 1_000) / all)}/s\n`
  )
}

try {
  const path = join(folder, 'blocks')
  const maker = new URL('primary-chain.ts', import.meta.url).pathname
  execFileSync(process.execPath, [maker, String(wanted), path])
  const file = openSync(path, 'r')
  const tables = [...controlTables, ...primaryTables]
  const place = { store: 'embedded', dataDir: folder }
  const database = await openStore(place, 'primary-bench', tables, 'write')
  const rows = openPrimaryRows(database, { maxValidatorStake: rules.maxValidatorStake })
  const unguarded = (): Promise<number> => Promise.resolve(1)
  const { state, batch } = beginPChain(facts, rules, { utxoLimit, assets: newAssetNumbers([]) })
  await rows.write(batch, [], unguarded)
  const size = newBatchSize()
  let transactions = 0
  const signal = new AbortController().signal
  for (;;) {
    const part = readBlocks(file, state.height + 1, size.heights())
    if (part.length === 0) break
    size.saw(part)
    const reads = await timed('decode', () => part.map(({ bytes }) => readPBlock(bytes)))
    const found = await timed('look', () => rows.reader.find(wantedOfPBlocks(state, reads), signal))
    const made = await timed('state', () => applyPBlocks(state, reads, found))
    const raw = part.map((block) => rawOfBlock('P', { ...block, proposer: undefined }))
    await timed('store', () => rows.write(made, raw, unguarded))
    transactions += made.ledger.transactions.count
  }
  closeSync(file)
  const sizeBytes = await database.sizeBytes()
  await database.close()
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1_024)
  process.stdout.write(
    `${transactions} transactions in ${state.height} blocks\n` +
      rates('by the clock', spent, transactions) +
      rates('of own work', worked, transactions) +
      `most memory resident ${peakMib} MiB, ${Math.round(sizeBytes / transactions)} bytes stored each\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
