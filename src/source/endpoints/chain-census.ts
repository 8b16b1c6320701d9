/** Finds which chain several endpoints serve, because one answer alone may be a mistake. */

import { Fault, faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { ChainIdentity } from '../evm-source.ts'
import type { Endpoint } from './endpoint.ts'

/** Times that each endpoint is called, and the pause between them. */
const rounds = 2
const pauseMs = 250

/** The chain that endpoints agree on, and how many of them do. */
export type Agreed = { readonly identity: ChainIdentity; readonly endpoints: number }

/**
 * Calls every endpoint twice. An endpoint that says two things has no say; of the others more than
 * half must agree. Throws `node-answer` when they do not, `node-unreachable` when none answers.
 */
export async function agreedIdentity(
  endpoints: readonly Endpoint[],
  identify: (endpoint: Endpoint) => Promise<ChainIdentity>,
  wait: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Agreed> {
  const answers = new Map<Endpoint, ChainIdentity | undefined>()
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await wait.clock.sleep(pauseMs, wait.signal)
    await Promise.all(
      endpoints.map(async (endpoint) => {
        const found = await answerOf(endpoint, identify)
        wait.signal.throwIfAborted()
        if (found === undefined) return
        const before = answers.has(endpoint) ? answers.get(endpoint) : found
        const isSame = before !== undefined && !isDifferent(before, found)
        answers.set(endpoint, isSame ? found : undefined)
      }),
    )
  }
  if (answers.size === 0) throw new Fault('node-unreachable', 'no endpoint answers')
  const votes = [...answers.values()].filter((vote) => vote !== undefined)
  for (const identity of votes) {
    const agreeing = votes.filter((vote) => !isDifferent(identity, vote)).length
    if (agreeing * 2 > answers.size) return { identity, endpoints: agreeing }
  }
  const ids = [...new Set(votes.map(({ chainId }) => chainId))].join(', ')
  throw new Fault('node-answer', `endpoints do not agree on which chain this is: ${ids}`)
}

/** A chain as far as it is known. `anyGenesis`: one of the same id with another genesis is this chain, begun anew. */
export type ExpectedChain = {
  readonly chainId?: number
  readonly genesisHash?: string
  readonly anyGenesis?: boolean | undefined
}

/** Returns whether `found` is another chain than what is known of the `wanted` one. */
export function isDifferent(
  { chainId, genesisHash, anyGenesis = false }: ExpectedChain,
  found: ChainIdentity,
): boolean {
  return (
    (chainId !== undefined && chainId !== found.chainId) ||
    (genesisHash !== undefined && !anyGenesis && genesisHash !== found.genesisHash)
  )
}

/** `undefined` from an endpoint that does not answer as it should. */
async function answerOf(
  endpoint: Endpoint,
  identify: (endpoint: Endpoint) => Promise<ChainIdentity>,
): Promise<ChainIdentity | undefined> {
  try {
    return await identify(endpoint)
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return undefined
  }
}
