/**
 * Speed and memory of the P-Chain's replay from bytes: decoding, state, and the embedded store.
 *
 *     node bench/primary-replay.ts [transactions] [delegations of ten] [folder]
 *
 * Another process makes the chain up first (`primary-chain.ts`). As in the product one thread
 * replays and another one writes, with the product's heaps.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'

import { heapLimits } from '../src/indexing/run/indexer.ts'
import type { Replayed, ReplayTask, WriteTask, Written } from './primary-replay-task.ts'

const wanted = Number(process.argv[2] ?? 200_000)
const delegations = process.argv[3] ?? '0'
const folder = mkdtempSync(join(process.argv[4] ?? tmpdir(), 'firn-bench-'))
// That of `source.maxReplyBytes`.
const maxReplyBytes = 33_554_432

/** Last message of a thread. */
function answerOf<T>(
  file: string,
  name: 'decoder' | 'writer',
  data: ReplayTask | WriteTask,
): Promise<T> {
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: data,
    transferList: [data.port],
    resourceLimits: heapLimits(name, maxReplyBytes),
  })
  return new Promise((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
  })
}

try {
  const blocks = join(folder, 'blocks')
  const maker = new URL('primary-chain.ts', import.meta.url).pathname
  execFileSync(process.execPath, [maker, String(wanted), blocks, delegations])
  const { port1, port2 } = new MessageChannel()
  const [replayed, written] = await Promise.all([
    answerOf<Replayed>('primary-replay-thread.ts', 'decoder', {
      folder,
      blocks,
      port: port1,
    }),
    answerOf<Written>('primary-store-thread.ts', 'writer', {
      folder,
      port: port2,
    }),
  ])
  const { height, tookMs } = replayed
  const each = (us: number): string => `${(us / wanted).toFixed(1)} us`
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1_024)
  process.stdout.write(
    `${wanted} transactions in ${height} blocks: ${Math.round((wanted * 1_000) / tookMs)}/s\n` +
      `of own work each: replay ${each(replayed.workedUs)}, store ${each(written.workedUs)}; ` +
      `the process ${each(replayed.processUs)}\n` +
      `most memory resident ${peakMib} MiB, ` +
      `${Math.round(written.sizeBytes / wanted)} bytes stored each\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
