import { u32At } from './item-at.ts'

/** Turns counts into places, where they are: each becomes the sum of those before it. */
export function countsToPlaces(counts: Uint32Array): void {
  let before = 0
  for (let at = 0; at < counts.length; at++) {
    const count = u32At(counts, at)
    counts[at] = before
    before += count
  }
}
