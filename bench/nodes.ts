/**
 * A backfill from one node, and from four that are asked at once.
 *
 *     node bench/nodes.ts [blocks] [milliseconds a call]
 *
 * Each node answers one call after the other, as an endpoint with a limit does: 200 a second at five
 * milliseconds each, also where a batch brings many.
 */

import { withBackfill } from './backfill-run.ts'

const blocks = Number(process.argv[2] ?? 16_000)
const callMs = Number(process.argv[3] ?? 5)

console.log('nodes  blocks/s  ratio')
let alone: number | undefined
for (const nodes of [1, 4])
  await withBackfill({ blocks, kind: 'light', callMs, nodes }, undefined, async (run) => {
    let begun: { readonly height: number; readonly at: number } | undefined
    // The start of the process is not the backfill.
    await run.reached(blocks - 1, (height) => {
      if (height >= 0) begun ??= { height, at: performance.now() }
    })
    const { height, at } = begun ?? { height: 0, at: run.startedAt }
    const rate = (blocks - 1 - height) / ((performance.now() - at) / 1_000)
    alone ??= rate
    console.log([String(nodes), rate.toFixed(0), (rate / alone).toFixed(2)].join('  '))
  })
