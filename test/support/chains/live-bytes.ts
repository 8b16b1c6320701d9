/** Memory that is in use once all garbage is collected. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

/** Bytes of the heap and outside it that are reachable now. */
export function liveBytes(): number {
  if (typeof collect !== 'function') throw new TypeError('this runtime does not collect when asked')
  // Twice: what finalisers let go of in the first is free after the second.
  for (let time = 0; time < 2; time++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
