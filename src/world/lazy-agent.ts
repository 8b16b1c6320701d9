/**
 * Connections that are opened by their first request: undici is large, and many processes ask no
 * node.
 */

import type { Agent } from 'undici'

/** An agent that is made when it is first needed. */
export type LazyAgent = {
  readonly get: () => Promise<Agent>
  /** Ends what is under way and its connections. */
  readonly destroy: () => Promise<void>
  /** Lets requests under way end, then their connections. */
  readonly close: () => Promise<void>
}

/** An agent with `options`. */
export function lazyAgent(options: Agent.Options): LazyAgent {
  let made: Promise<Agent> | undefined
  return {
    get: () => (made ??= makeAgent(options)),
    destroy: async () => (await made)?.destroy(),
    close: async () => (await made)?.close(),
  }
}

async function makeAgent(options: Agent.Options): Promise<Agent> {
  const undici = await import('undici')
  return new undici.Agent(options)
}
