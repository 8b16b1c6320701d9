/**
 * Speed of the P-Chain's replay from bytes: decoding, state, and the embedded store.
 *
 *     node --max-semi-space-size=64 bench/primary-replay.ts [transactions] [folder]
 *
 * The chain is made up first: base transactions of one input and two outputs, ten to a block, each
 * output spent once and later. One thread does everything, as the product's P-Chain stage does.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

import { encode } from '../src/codec/kit.ts'
import { buildGenesis } from '../src/codec/primary/genesis-build.ts'
import { parseGenesisConfig } from '../src/codec/primary/genesis-config.ts'
import { readGenesis } from '../src/codec/primary/genesis.ts'
import { emptyId, transactionIdOf } from '../src/codec/primary/ids.ts'
import { pBlock } from '../src/codec/primary/p-block.ts'
import { pTransaction } from '../src/codec/primary/p-transaction.ts'
import type { PTransaction } from '../src/codec/primary/p-transaction.ts'
import { sha256 } from '../src/core/hash.ts'
import { beginPChain } from '../src/indexing/primary/genesis-rows.ts'
import { rawOfBlock } from '../src/indexing/primary/raw-blocks.ts'
import { readPBlock } from '../src/indexing/primary/read-blocks.ts'
import { applyPBlocks, wantedOfPBlocks } from '../src/indexing/primary/replay-p.ts'
import { rulesOf } from '../src/indexing/primary/rules.ts'
import { openPrimaryRows } from '../src/indexing/primary/store-rows.ts'
import { openStore } from '../src/store/engine/open.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { primaryTables } from '../src/store/schema/primary.ts'

const wanted = Number(process.argv[2] ?? 200_000)
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'firn-bench-'))
const perBlock = 10
const batchBlocks = 1_024

const file = new URL('../data/genesis/local.json.gz', import.meta.url)
const genesis = parseGenesisConfig(gunzipSync(readFileSync(file)).toString('utf8'))
const facts = readGenesis(buildGenesis(genesis))
const rules = rulesOf(facts.networkId)

// One credential with one signature: count, type id, count, 65 bytes.
const credentials = new Uint8Array(4 + 4 + 4 + 65).fill(7)
credentials.set([0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1])

type Output = { readonly txId: Uint8Array; readonly outputIndex: number; readonly amount: bigint }

function addressOf(number: number): Uint8Array {
  const address = new Uint8Array(20)
  new DataView(address.buffer).setUint32(0, Math.imul(number, 2_654_435_761) >>> 16)
  return address
}

function spend(output: Output, number: number): PTransaction {
  const { assetId } = { assetId: facts.avaxAssetId }
  const { amount, ...place } = output
  const half = { typeId: 7, amount: amount / 2n, locktime: 0n, threshold: 1 } as const
  return {
    unsigned: {
      typeId: 34,
      networkId: facts.networkId,
      blockchainId: emptyId,
      outputs: [number, number + 1].map((owner) => ({
        assetId,
        output: { ...half, addresses: [addressOf(owner)] },
      })),
      inputs: [{ ...place, assetId, input: { typeId: 5, amount, signatureIndices: [0] } }],
      memo: new Uint8Array(0),
    },
    credentials,
  }
}

/** Inner blocks, oldest first. */
function makeChain(): { readonly height: number; readonly bytes: Uint8Array }[] {
  const unspent: Output[] = []
  for (const { utxo } of facts.genesis.utxos) {
    if (utxo.output.typeId === 7) unspent.push({ ...utxo, amount: utxo.output.amount })
  }
  const blocks: { height: number; bytes: Uint8Array }[] = []
  let parentId = facts.pBlockId
  const time = facts.genesis.time
  for (let made = 0, at = 0; made < wanted;) {
    const transactions = []
    const until = Math.min(unspent.length, at + perBlock)
    for (; at < until; at++, made++) {
      const output = unspent[at]
      if (output === undefined) break
      const { txId, outputIndex, amount } = output
      const record = spend({ txId, outputIndex, amount }, made)
      const bytes = encode(pTransaction, record)
      const id = transactionIdOf(bytes)
      for (const index of [0, 1])
        unspent.push({ txId: id, outputIndex: index, amount: amount / 2n })
      transactions.push({ record, bytes })
    }
    const height = blocks.length + 1
    const block = { typeId: 32, time, parentId, height: BigInt(height), transactions } as const
    const bytes = encode(pBlock, block)
    parentId = sha256(bytes)
    blocks.push({ height, bytes })
  }
  return blocks
}

type Parts = { decode: number; look: number; replay: number; store: number }

// Milliseconds by the clock, and of this thread's own work: the latter is what counts where other
// programs share the machine. It leaves out the collector's threads.
const spent: Parts = { decode: 0, look: 0, replay: 0, store: 0 }
const worked: Parts = { decode: 0, look: 0, replay: 0, store: 0 }

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
  const perSecond = (ms: number): string => Math.round((transactions * 1_000) / ms).toString()
  const replayed = parts.decode + parts.look + parts.replay
  return (
    `${title}: decode ${perSecond(parts.decode)}/s, state ${perSecond(parts.replay)}/s, ` +
    `look-up ${perSecond(parts.look)}/s, store ${perSecond(parts.store)}/s; ` +
    `decode + state ${perSecond(replayed)}/s, ` +
    `with store ${perSecond(replayed + parts.store)}/s\n`
  )
}

try {
  const chain = makeChain()
  const database = await openStore(
    { store: 'embedded', dataDir: folder },
    'primary-bench',
    [...controlTables, ...primaryTables],
    'write',
  )
  const rows = openPrimaryRows(database, {
    maxValidatorStake: rules.maxValidatorStake,
    avaxAssetId: facts.avaxAssetId,
  })
  const unguarded = (): Promise<number> => Promise.resolve(1)
  const { state, batch } = beginPChain(facts, rules, 200_000)
  await rows.write(batch, [], unguarded)
  let transactions = 0
  const signal = new AbortController().signal
  for (let at = 0; at < chain.length; at += batchBlocks) {
    const part = chain.slice(at, at + batchBlocks)
    const reads = await timed('decode', () => part.map(({ bytes }) => readPBlock(bytes)))
    const found = await timed('look', () => rows.reader.find(wantedOfPBlocks(state, reads), signal))
    const made = await timed('replay', () => applyPBlocks(state, reads, found))
    const raw = part.map((block) => rawOfBlock('P', { ...block, proposer: undefined }))
    await timed('store', () => rows.write(made, raw, unguarded))
    transactions += made.transactions.length
  }
  await database.close()
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1_024)
  process.stdout.write(
    `${transactions} transactions in ${chain.length} blocks\n` +
      rates('by the clock', spent, transactions) +
      rates('of own work', worked, transactions) +
      `most memory resident, the made-up chain included: ${peakMib} MiB\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
