/**
 * Time until a new block is served, and the cost of waiting for one.
 *
 *     node bench/head.ts [folder]
 *
 * A node on this machine gains a block each 200 ms, then each second. The time is that from the
 * moment at which the node has a block to the first answer of the API whose `x-indexed-height` has
 * it; answers are asked for one after the other. Then the node stands still, nobody asks, and the
 * processor time of the process is counted: `idle`.
 */

import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

import { type Backfill, withBackfill } from './backfill-run.ts'
import { processorSeconds } from './process-figures.ts'

/** Blocks at first, and then each so many milliseconds. */
const firstBlocks = 300
const rhythms = [
  { everyMs: 200, count: 200 },
  { everyMs: 1_000, count: 40 },
]
const idleSeconds = 20
const lookEveryMs = 2

const blocks = firstBlocks + rhythms.reduce((sum, { count }) => sum + count, 0)

await withBackfill({ blocks, firstHead: firstBlocks - 1 }, process.argv[2], async (run) => {
  await run.reached(firstBlocks - 1)
  // What was just written settles, so that the first figure is not that of a start.
  await pause(5_000)
  let from = firstBlocks
  for (const { everyMs, count } of rhythms) {
    const waits = await followed(run, { from, everyMs, count })
    from += count
    const at = (share: number): string =>
      (waits.toSorted((a, b) => a - b)[Math.floor(waits.length * share)] ?? 0).toFixed(0)
    console.log(
      `a block each ${everyMs} ms`.padEnd(24),
      `p50 ${at(0.5)} ms, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(0.999_999)}`,
    )
  }
  await pause(10_000)
  const before = processorSeconds(run.pid)
  await pause(idleSeconds * 1_000)
  const spent = processorSeconds(run.pid) - before
  console.log('idle'.padEnd(24), `${((spent / idleSeconds) * 1_000).toFixed(1)} ms a second`)
})

/** Lets the node grow by `count` blocks; gives how long each took until it was served. */
async function followed(
  { node, url }: Backfill,
  of: { readonly from: number; readonly everyMs: number; readonly count: number },
): Promise<number[]> {
  if (node.stdout === null) throw new Error('the node has no output')
  const had = new Map<number, number>()
  const lines = createInterface({ input: node.stdout }).on('line', (line) => {
    const [, height, at] = line.split(' ')
    had.set(Number(height), Number(at))
  })
  node.stdin?.write(`${of.everyMs} ${of.count}\n`)
  const waits: number[] = []
  for (let next = of.from; next < of.from + of.count; await pause(lookEveryMs)) {
    const reply = await fetch(`${url}/v1/chains/123456/blocks?pageSize=1`)
    await reply.arrayBuffer()
    const now = Date.now()
    const height = Number(reply.headers.get('x-indexed-height'))
    for (; next <= height; next++) waits.push(now - (had.get(next) ?? now))
  }
  lines.close()
  return waits
}
