/**
 * Connections that are opened by their first request: undici is large, and many processes call no
 * node.
 */

import { createRequire } from 'node:module'

import type { Agent, Dispatcher } from 'undici'

/** An agent that is made when it is first needed. */
export type LazyAgent = {
  readonly get: () => Agent
  /** Ends what is under way and its connections. */
  readonly destroy: () => Promise<void>
  /** Lets requests under way end, then their connections. */
  readonly close: () => Promise<void>
}

/** An agent with `options`. */
export function lazyAgent(options: Agent.Options): LazyAgent {
  let made: Agent | undefined
  return {
    get: () => (made ??= makeAgent(options)),
    destroy: async () => made?.destroy(),
    close: async () => made?.close(),
  }
}

const load = createRequire(import.meta.url)

/**
 * The agent with the one way of sending that is used here. The package as a whole loads three times
 * as many modules: `fetch`, WebSockets, proxies, caches.
 */
function makeAgent(options: Agent.Options): Agent {
  const made: typeof Agent = load('undici/lib/dispatcher/agent.js')
  const request: Dispatcher['request'] = load('undici/lib/api/api-request.js')
  return Object.assign(new made(options), { request })
}
