/** Pauses after failures in a row. */

/**
 * Milliseconds after so many failures before: the first pause doubled for each, up to the longest where
 * there is one.
 */
export function growingPause(
  failures: number,
  {
    firstMs,
    longestMs = Number.POSITIVE_INFINITY,
  }: { readonly firstMs: number; readonly longestMs?: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** failures)
}
