/**
 * A world with this machine's clock, network and a folder in memory, for tests with a live node.
 */

import { Fault } from '../../../src/core/fault.ts'
import type { World } from '../../../src/core/world.ts'
import { realWorld } from '../nodes/warp-network.ts'

/** A world for a live test; `seed` decides the identity that is made in it. */
export function liveWorld(seed: number): World {
  const stored = new Map<string, Uint8Array>()
  return {
    ...realWorld(seed),
    transport: {
      request: async ({ url, method, headers, body, timeoutMs, signal }) => {
        const limits = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]
        try {
          const reply = await fetch(url, {
            method,
            headers: headers ?? {},
            body: typeof body === 'string' ? body : null,
            signal: AbortSignal.any(limits),
          })
          return {
            status: reply.status,
            headers: {},
            body: new Uint8Array(await reply.arrayBuffer()),
          }
        } catch (error) {
          throw new Fault('node-unreachable', 'the node does not answer', { cause: error })
        }
      },
    },
    files: {
      read: async (path) => stored.get(path),
      write: async (path, bytes) => void stored.set(path, bytes),
      remove: async () => {},
      list: async () => [...stored.keys()],
    },
  }
}
