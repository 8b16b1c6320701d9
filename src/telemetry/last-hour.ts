/** Figures of the last hour, for small charts: one sample of each every quarter of a minute. */

import type { Clock } from '../core/world.ts'

const sampleMs = 15_000
const mostSamples = 3_600_000 / sampleMs

/** Values by name, oldest first. */
export type LastHour = ReadonlyMap<string, readonly number[]>

/**
 * Samples what `read` gives until aborted. A name that is no longer given is forgotten, so the map
 * is bounded by what `read` gives at once.
 */
export async function sampleLastHour(
  into: Map<string, readonly number[]>,
  read: () => Promise<ReadonlyMap<string, number>>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const values = await read()
    for (const name of into.keys()) if (!values.has(name)) into.delete(name)
    for (const [name, value] of values)
      into.set(name, [...(into.get(name) ?? []), value].slice(-mostSamples))
    await clock.sleep(sampleMs, signal).catch(() => undefined)
  }
}
