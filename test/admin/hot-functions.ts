/** Functions whose cost a profile must show. */

import { performance } from 'node:perf_hooks'

/** Burns a core for `ms`, under a name to find again. */
export function hotInMain(ms: number): number {
  return burn(ms)
}

/** As {@link hotInMain}, in another thread. */
export function hotInWorker(ms: number): number {
  return burn(ms)
}

function burn(ms: number): number {
  const until = performance.now() + ms
  let value = 0
  while (performance.now() < until)
    for (let round = 0; round < 1_000; round++) value += Math.sqrt(round)
  return value
}

/** Holds `bytes` of memory in small objects, for a profile to find. */
export function knownAllocator(bytes: number): readonly (readonly number[])[] {
  const held: number[][] = []
  // 1,000 numbers of eight bytes each, in a list made at its full length.
  for (let size = 0; size < bytes; size += 8_000) held.push(Array<number>(1_000).fill(0.5))
  return held
}
