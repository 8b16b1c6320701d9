/**
 * A backfill that other processes read for: alone, with one of them, with three.
 *
 *     node bench/ranges.ts [blocks] [milliseconds a request]
 *
 * Each process has a node of its own that answers one request after the other, as an endpoint with a
 * limit does: only more nodes are quicker. That of the process that indexes also tells the names of
 * tokens, so that one reader can more than double the rate. `writer` is the processor time of the process that indexes,
 * `readers` that of those that read for it, microseconds a transfer.
 */

import { withBackfill } from './backfill-run.ts'
import { processorSeconds } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? 3_000)
const callMs = Number(process.argv[3] ?? 100)

console.log('readers  blocks/s  ratio  writer  readers')
let alone: number | undefined
for (const readers of [0, 1, 3])
  await withBackfill({ blocks, callMs, readers }, undefined, async (run) => {
    let begun: { readonly height: number; readonly at: number } | undefined
    // The start of the process is not the backfill.
    await run.reached(blocks - 1, (height) => {
      if (height >= 0) begun ??= { height, at: performance.now() }
    })
    const { height, at } = begun ?? { height: 0, at: run.startedAt }
    const rate = (blocks - 1 - height) / ((performance.now() - at) / 1_000)
    alone ??= rate
    const micros = (pids: readonly number[]): number =>
      (pids.reduce((sum, pid) => sum + processorSeconds(pid), 0) / run.transfers) * 1e6
    const told = [rate.toFixed(0), (rate / alone).toFixed(2), micros([run.pid]).toFixed(1)]
    console.log([String(readers), ...told, micros(run.readers).toFixed(1)].join('  '))
  })
