/** Sources that others have of contracts that are looked at, proved here. */

import type { FindClaim } from '../../../contracts/claims.ts'
import { createGenerations } from '../../../core/bounded-maps.ts'
import { to0x } from '../../../core/bytes.ts'
import { faultOf } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { VerificationQueue } from './verification-queue.ts'

const mostRemembered = 2_000
/** Others are asked of one contract so often, and waited for so long. */
const againMs = 3_600_000
const waitMs = 180_000
/** A queue that is full has a place soon. */
const soonMs = 1_000

/**
 * A function that begins to prove what others have of a contract, where others are asked and were not of late. It
 * proves nothing of chains of development.
 */
export function createSeeking(
  { elsewhere, clock }: { readonly elsewhere?: FindClaim | undefined; readonly clock: Clock },
  verify: VerificationQueue['verify'],
): (chain: ServedChain, address: Uint8Array) => void {
  const asked = createGenerations<string, number>(mostRemembered)
  const caller = { name: 'sources of others' }
  return (chain, address) => {
    const key = `${chain.facts.key} ${to0x(address)}`
    const now = clock.monotonic()
    if (elsewhere === undefined || chain.beginsAnew === true || (asked.get(key) ?? 0) > now) return
    asked.set(key, now + againMs)
    const signal = AbortSignal.timeout(waitMs)
    const prove = async (): Promise<void> => {
      const claim = await elsewhere(chain.facts.evmChainId, address, signal)
      if (claim !== undefined) await verify(chain, address, { claim, caller, signal })
    }
    // Whatever is wrong with sources of others, the contract stays without.
    prove().catch((error: unknown) => {
      if (faultOf(error)?.code === 'overloaded') asked.set(key, now + soonMs)
    })
  }
}
