/**
 * One round of disasters in a deployment of its own, and whether nothing of it is left in its rows.
 */

import { performance } from 'node:perf_hooks'

import type { Ending } from '../support/processes/firn-process.ts'
import type { Disaster } from './disasters.ts'
import { type FleetSize, startFleet } from './fleet.ts'

/** Result of one disaster. */
export type Struck = {
  readonly kind: string
  /** Until the first commit. */
  readonly tookMs: number
  /** Broken promises. */
  readonly wrong: readonly string[]
}

/**
 * Strikes a new deployment over the empty database `store`, one disaster after the other. Rows that
 * were lost or doubled in any of them, and answers that were wrong, are reported for all. A first commit
 * after more than `limitMs` is wrong.
 */
export async function round(
  t: Ending,
  store: string,
  {
    disasters,
    limitMs,
    size,
  }: {
    readonly disasters: readonly Disaster[]
    readonly limitMs: number
    readonly size?: FleetSize | undefined
  },
): Promise<readonly Struck[]> {
  const fleet = await startFleet(t, store, size)
  const struck: { readonly kind: string; readonly tookMs: number }[] = []
  for (const { kind, strike } of disasters) {
    await fleet.untilShared()
    const sinceMs = performance.now()
    const tookMs = Math.round(await strike(fleet))
    struck.push({ kind, tookMs })
    console.log(
      `${kind}: first commit after ${tookMs} ms, all of it took ${Math.round(performance.now() - sinceMs)} ms`,
    )
  }
  const wrong: string[] = []
  await fleet.compare().catch((error: unknown) => wrong.push(String(error)))
  const { answered, refused } = fleet.caller.counts()
  wrong.push(...(await fleet.caller.end()))
  console.log(`${answered} requests answered, ${refused} refused for now`)
  return struck.map(({ kind, tookMs }) => {
    const late = tookMs > limitMs ? [`first commit after ${tookMs} ms`] : []
    return { kind, tookMs, wrong: [...wrong, ...late] }
  })
}
