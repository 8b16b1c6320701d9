/** Decoded batches of a chain, made by another thread as in the product. */

import { Worker } from 'node:worker_threads'

import type { BlockBatch } from '../src/codec/evm/columns/columns.ts'
import type { DecoderTimes, DecoderWork } from './evm-ingest-decoder.ts'

/** Batches in order; `told` gets the other thread's times at the end. */
export async function* decodedChain(
  work: DecoderWork,
  told: (times: DecoderTimes) => void,
): AsyncGenerator<BlockBatch> {
  const worker = new Worker(new URL('./evm-ingest-decoder.ts', import.meta.url), {
    workerData: work,
  })
  const arrived: (BlockBatch | DecoderTimes)[] = []
  let wake: () => void = () => undefined
  worker.on('message', (batch: BlockBatch | DecoderTimes) => {
    arrived.push(batch)
    wake()
  })
  for (;;) {
    if (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    const batch = arrived.shift()
    if (batch === undefined) continue
    if (!('kind' in batch)) {
      told(batch)
      return
    }
    worker.postMessage('more')
    yield batch
  }
}
