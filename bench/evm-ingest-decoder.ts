/** The other thread of `evm-ingest.ts`: text of blocks into batches of columns. */

import { parentPort, workerData } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { buffersOf } from '../src/core/growing.ts'
import { BlockChecks } from '../src/indexing/evm/block-checks.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { linesOf } from './lines-of.ts'

type Work = {
  readonly path: string
  readonly blocksPerBatch: number
  readonly window: number
  readonly checked: boolean
}

/** Processor time of this thread by what it did, microseconds; told at the end. */
export type DecoderTimes = {
  readonly parse: number
  readonly check: number
  readonly decode: number
}

const work: Work = workerData
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
for await (const line of linesOf(work.path)) {
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
  const of = { from, origin: 'bench', wants: () => work.checked }
  timed('check', () => checks.checkAll(raws, of))
  const batch = timed('decode', () => decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes)))
  from += lines.length
  lines = []
  port?.postMessage(batch, buffersOf(batch))
}

function timed<T>(name: keyof DecoderTimes, what: () => T): T {
  const before = process.threadCpuUsage()
  const result = what()
  const { user, system } = process.threadCpuUsage(before)
  times[name] += user + system
  return result
}
