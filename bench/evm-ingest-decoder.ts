/** The other thread of `evm-ingest.ts`: text of blocks into batches of columns. */

import { parentPort, workerData } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import type { BlockBatch } from '../src/codec/evm/columns.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { decodeText } from '../src/codec/evm/decode-text.ts'
import { TextBlock, TextReader, TextReceipts, TextUnit } from '../src/codec/evm/text-unit.ts'
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

/**
 * How blocks are read: `unchecked` and `checked` parse them to objects, `bytes` reads, proves and
 * decodes them from the bytes of replies, as the product does with plain ones.
 */
export type Reading = 'unchecked' | 'checked' | 'bytes'

/** Processor time of this thread by what it did, microseconds; told at the end. */
export type DecoderTimes = {
  /** Making the replies of a node, which the product does not do. */
  readonly bench: number
  readonly parse: number
  readonly check: number
  /** With the proofs where blocks are read from bytes. */
  readonly decode: number
}

const work: DecoderWork = workerData
const port = parentPort
if (port === null) throw new Error('runs as a worker only')

/** Blocks in a reply, so that it stays below what is read from bytes. */
const blocksPerReply = 5

let allowed = work.window
let wake: () => void = () => undefined
port.on('message', () => {
  allowed++
  wake()
})

const times = { bench: 0, parse: 0, check: 0, decode: 0 }
const reader = new TextReader()
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
  // The block of height 0 has no proof and is parsed by the product too.
  const batch = work.reading === 'bytes' && from > 0 ? batchOfBytes() : batchOfObjects()
  from += lines.length
  lines = []
  port?.postMessage(batch, buffersOf(batch))
}

function batchOfObjects(): BlockBatch {
  const raws = timed('parse', () => lines.map((line) => JSON.parse(line.toString('latin1'))))
  const of = { from, origin: 'bench', wants: () => work.reading !== 'unchecked' }
  timed('check', () => checks.checkAll(raws, of))
  return timed('decode', () => decodeBlocks(from, raws, compress))
}

function batchOfBytes(): BlockBatch {
  const units: TextUnit[] = []
  for (let at = 0; at < lines.length; at += blocksPerReply) {
    const reply = timed('bench', () => replyOf(lines.slice(at, at + blocksPerReply)))
    const elements = timed('parse', () => reader.elements(reply))
    if (elements === undefined) throw new Error(`blocks from ${from + at} on are not plain`)
    for (let each = 0; each < elements.length; each += 2)
      units.push(
        new TextUnit(
          resultOf(elements, each, TextBlock),
          resultOf(elements, each + 1, TextReceipts),
        ),
      )
  }
  const batch = timed('decode', () => decodeText(from, units, compress))
  if (batch === undefined) throw new Error(`blocks from ${from} on are not proven`)
  return batch
}

/** The batch reply of a node with these blocks. */
function replyOf(blocks: readonly Buffer[]): Buffer {
  const parts: Buffer[] = []
  let id = 0
  for (const line of blocks) {
    const middle = line.indexOf(',"receipts":')
    const results = [line.subarray('{"block":'.length, middle), line.subarray(middle + 12, -1)]
    for (const result of results) {
      const open = id === 0 ? '[' : ','
      parts.push(
        Buffer.from(`${open}{"jsonrpc":"2.0","id":${id++},"result":`),
        result,
        Buffer.from('}'),
      )
    }
  }
  return Buffer.concat([...parts, Buffer.from(']')])
}

function resultOf<T>(
  elements: readonly unknown[],
  at: number,
  kind: new (...args: never[]) => T,
): T {
  const { result } = elements[at] as { readonly result: unknown }
  if (!(result instanceof kind)) throw new Error(`element ${at} is no ${kind.name}`)
  return result
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
