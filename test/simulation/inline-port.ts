/**
 * Two ends of a message port in one thread: values are copied and buffers change hands as between
 * two.
 */

import type { Port } from '../../src/indexing/stream/port-call.ts'

/** The two ends. A message arrives after what is under way, in the order it was sent. */
export function inlinePorts(): readonly [Port, Port] {
  const receivers: [((value: unknown) => void)[], ((value: unknown) => void)[]] = [[], []]
  const end = (own: 0 | 1): Port => ({
    on: (_event, receive) => receivers[own].push(receive),
    postMessage: (value, transfer) => {
      const copy: unknown = structuredClone(value, { transfer })
      queueMicrotask(() => {
        for (const receive of receivers[own === 0 ? 1 : 0]) receive(copy)
      })
    },
  })
  return [end(0), end(1)]
}
