/**
 * A backfill with traces: blocks a second from an empty folder to the last trace stored.
 *
 *     node bench/traces.ts [blocks] [milliseconds a trace] [freeze: on or off] [folder]
 *
 * Blocks have 40 transactions and 208 call frames. The node on this machine answers each trace after
 * the given time, as one that executes the block again; its answers are made beforehand.
 * `ratioToBlocks` is the rate by that at which the same run stored blocks.
 */

import { setTimeout as pause } from 'node:timers/promises'

import { withBackfill } from './backfill-run.ts'
import { processorSeconds, writtenBytes } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? 1_500)
const traceMs = Number(process.argv[3] ?? 20)
const freezes = process.argv[4] === 'on'

await withBackfill({ blocks, traceMs, freezes }, process.argv[5], async (run) => {
  let blocksDone = 0
  let height = -1
  while (height < blocks - 1) {
    await pause(100)
    const now = performance.now()
    if (blocksDone === 0 && (await run.height()) === blocks - 1) blocksDone = now
    height = await run.height('traces')
  }
  const seconds = (performance.now() - run.startedAt) / 1_000
  const rate = blocks / seconds
  const blockRate = blocks / ((blocksDone - run.startedAt) / 1_000)
  console.log(`${blocks} blocks, ${traceMs} ms a trace: ${seconds.toFixed(1)} s`)
  console.log(`traces ${rate.toFixed(0)} blocks/s, ratioToBlocks ${(rate / blockRate).toFixed(2)}`)
  const micros = (processorSeconds(run.pid) / blocks) * 1e6
  console.log(`processor time of the process ${micros.toFixed(0)} us a block`)
  console.log(`written to disk ${(writtenBytes(run.pid) / blocks / 1_024).toFixed(1)} KiB a block`)
})
