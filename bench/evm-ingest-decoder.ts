/** The other thread of `evm-ingest.ts`: text of blocks into batches of columns. */

import { parentPort, workerData } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { buffersOf } from '../src/core/growing.ts'
import { BlockChecks } from '../src/indexing/evm/read/block-checks.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { type ChainShape, ChainText } from './evm-chain.ts'
import { linesOf } from './lines-of.ts'

/** Task of the thread. */
export type DecoderWork = {
  /** File of lines, or the chain that is made up meanwhile. */
  readonly path: string | ChainShape
  readonly blocksPerBatch: number
  readonly window: number
  readonly reading: Reading
}

/** With or without the proofs of blocks, which the product always asks for. */
export type Reading = 'unchecked' | 'checked'

/** Processor time of this thread by what it did, microseconds; told at the end. */
export type DecoderTimes = {
  readonly parse: number
  readonly check: number
  readonly decode: number
}

const work: DecoderWork = workerData
const port = parentPort
if (port === null) throw new Error('runs as a worker only')

let allowed = work.window
let wake: () => void = () => undefined
port.on('message', () => {
  allowed++
  wake()
})

const times = { parse: 0, check: 0, decode: 0 }
const checks = new BlockChecks({ log: silentLog, endpoints: () => [], checkEvery: 1 })
let from = 0
let lines: Buffer[] = []
for await (const line of typeof work.path === 'string' ? linesOf(work.path) : madeUp(work.path)) {
  lines.push(line)
  if (lines.length === work.blocksPerBatch) await send()
}
if (lines.length > 0) await send()
port.postMessage(times)
port.close()

async function send(): Promise<void> {
  if (allowed === 0) await new Promise<void>((resolve) => (wake = resolve))
  allowed--
  const raws = timed('parse', () => lines.map((line) => JSON.parse(line.toString('latin1'))))
  const of = { from, origin: 'bench', wants: () => work.reading !== 'unchecked' }
  timed('check', () => checks.checkAll(raws, of))
  const batch = timed('decode', () => decodeBlocks(from, raws, compress))
  from += lines.length
  lines = []
  port?.postMessage(batch, buffersOf(batch))
}

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes)
}

function* madeUp(shape: ChainShape): Generator<Buffer> {
  const chain = new ChainText(shape)
  for (let text = chain.next(); text !== undefined; text = chain.next())
    yield Buffer.from(text, 'latin1')
}

function timed<T>(name: keyof DecoderTimes, what: () => T): T {
  const before = process.threadCpuUsage()
  const result = what()
  const { user, system } = process.threadCpuUsage(before)
  times[name] += user + system
  return result
}
