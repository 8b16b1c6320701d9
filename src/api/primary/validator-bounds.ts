/** Bounds callers give in seconds and percent, in stored units. */

import type { Bounds } from '../../store/query/primary/validators.ts'

/** The bounds that the caller gave, both inclusive. */
type Given = { readonly min: number | undefined; readonly max: number | undefined }

/** Bounds in stored units: `factor` of them to one given, counted from `zero`. */
export function scaledBounds({ min, max }: Given, factor: number, zero = 0n): Bounds {
  return {
    ...(min === undefined ? {} : { min: zero + BigInt(Math.ceil(times(min, factor))) }),
    ...(max === undefined ? {} : { max: zero + BigInt(Math.floor(times(max, factor))) }),
  }
}

/** A double has 15 digits: 2.01 × 10000 is 20100, where the machine says 20099.999999999996. */
function times(value: number, factor: number): number {
  return Number((value * factor).toPrecision(15))
}
