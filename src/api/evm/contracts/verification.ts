/**
 * A verification as callers follow it. It is done when the answer to its request is, so the id that a
 * caller sends back carries how it ended, and nothing is kept of it.
 */

import type { Claim } from '../../../contracts/verify.ts'
import { faultOf } from '../../../core/fault.ts'
import { isObject, jsonOf } from '../../../core/json.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { Caller } from '../../operation/operation.ts'
import { publicWords } from '../../operation/status.ts'
import type { EvmContext } from '../evm-context.ts'

/** How a verification ended. */
export type Ended = {
  /** EVM chain id. */
  readonly chainId: number
  /** `0x` hex. */
  readonly address: string
  /** Unix seconds. */
  readonly at: number
  /** Why it failed; absent: verified. */
  readonly problem?: string | undefined
}

const binding = { route: 'verification', filter: '' }
const longestProblem = 480

/** Verifies a claim. Faults that trying again may mend are thrown; others are an end. */
export async function verification(
  { contracts, clock, tokens }: EvmContext,
  query: {
    readonly chain: ServedChain
    readonly address: Uint8Array
    readonly claim: Claim
    readonly caller: Caller
    readonly signal: AbortSignal
  },
): Promise<{ readonly id: string; readonly ended: Ended }> {
  const { chain, address } = query
  const problem = await contracts.verify(chain, address, query).then(
    () => undefined,
    (error: unknown) => {
      const fault = faultOf(error)
      if (fault === undefined || fault.retryable) throw error
      return publicWords(fault)
    },
  )
  const ended: Ended = {
    chainId: chain.facts.evmChainId,
    address: `0x${Buffer.from(address).toString('hex')}`,
    at: Math.floor(clock.now() / 1_000),
    problem: problem?.slice(0, longestProblem),
  }
  return { id: tokens.seal(new TextEncoder().encode(JSON.stringify(ended)), binding), ended }
}

/** How the verification of an id ended; `undefined` for what is no id, and after a day. */
export function endedOf({ tokens }: EvmContext, id: string): Ended | undefined {
  let bytes: Uint8Array | undefined
  try {
    bytes = tokens.open(id, binding)
  } catch (error) {
    if (faultOf(error)?.code !== 'bad-page-token') throw error
  }
  const ended = bytes === undefined ? undefined : jsonOf(bytes)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by this file alone
  return isObject(ended) ? (ended as Ended) : undefined
}
