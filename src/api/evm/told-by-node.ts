/** Additions of a node to an answer that is whole without them. */

import { faultOf } from '../../core/fault.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'

/** A caller waits this long for what is only an addition. */
const longestMs = 2_000

/** Returns what `ask` gives; `undefined` where no node tells it, or none does in time. */
export async function toldByNode<T>(
  clock: Clock,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController()
  const asked = ask(AbortSignal.any([signal, late.signal])).catch((error: unknown) => {
    const code = faultOf(error)?.code
    const isOfNode = code === 'not-served' || code?.startsWith('node-') === true
    if (!isOfNode && !late.signal.aborted) throw error
    return undefined
  })
  const told = await inTime(asked, { clock, ms: longestMs })
  late.abort()
  return told
}
