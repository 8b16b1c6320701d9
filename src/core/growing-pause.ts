/** Pauses after failures in a row. */

/** Milliseconds after so many failures before: the first pause doubled for each, up to the longest. */
export function growingPause(
  failures: number,
  { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number },
): number {
  // Ten times doubled is longer than any pause that is set.
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures, 10))
}
