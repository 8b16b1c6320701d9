/**
 * Two ends of a message port in one thread: values are copied and buffers change hands as between
 * two.
 */

import type { ClosingPort } from '../../src/indexing/thread/port-call.ts'

/**
 * The two ends. A message arrives after what is under way, in the order it was sent; none arrives once
 * an end is closed.
 */
export function inlinePorts(): readonly [ClosingPort, ClosingPort] {
  const receivers: [((value: unknown) => void)[], ((value: unknown) => void)[]] = [[], []]
  const closers: (() => void)[] = []
  let isOpen = true
  const end = (own: 0 | 1): ClosingPort => ({
    on: (_event, receive) => receivers[own].push(receive),
    once: (_event, closed) => closers.push(closed),
    postMessage: (value, transfer) => {
      const copy: unknown = structuredClone(value, { transfer })
      queueMicrotask(() => {
        if (isOpen) for (const receive of receivers[own === 0 ? 1 : 0]) receive(copy)
      })
    },
    close: () => {
      if (!isOpen) return
      isOpen = false
      queueMicrotask(() => closers.forEach((closed) => closed()))
    },
  })
  return [end(0), end(1)]
}
