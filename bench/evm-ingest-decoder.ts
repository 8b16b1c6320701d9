/** The other thread of `evm-ingest.ts`: text of blocks into batches of columns. */

import { parentPort, workerData } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { buffersOf } from '../src/core/growing.ts'
import { linesOf } from './lines-of.ts'

type Work = { readonly path: string; readonly blocksPerBatch: number; readonly window: number }

const work: Work = workerData
const port = parentPort
if (port === null) throw new Error('runs as a worker only')

let allowed = work.window
let wake: () => void = () => undefined
port.on('message', () => {
  allowed++
  wake()
})

let from = 0
let lines: Buffer[] = []
for await (const line of linesOf(work.path)) {
  lines.push(line)
  if (lines.length === work.blocksPerBatch) await send()
}
if (lines.length > 0) await send()
port.postMessage(undefined)
port.close()

async function send(): Promise<void> {
  if (allowed === 0) await new Promise<void>((resolve) => (wake = resolve))
  allowed--
  const raws = lines.map((line) => JSON.parse(line.toString('latin1')))
  const batch = decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes))
  from += lines.length
  lines = []
  port?.postMessage(batch, buffersOf(batch))
}
