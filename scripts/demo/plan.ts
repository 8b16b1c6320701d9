/** The network of the demo: its genesis lies ten months back, so that there is a past to show. */

import { scenarioPlan } from '../../test/network/plan.ts'
import type { NetworkPlan } from '../../test/network/real-network.ts'

const daySeconds = 86_400

/**
 * The network of the scenario, all five nodes validators from genesis on. Two terms ended long ago,
 * one ends within the week, two within months; the P-Chain makes up for what is over at its start.
 */
export function demoPlan(nowSeconds: number, stakers: readonly unknown[]): NetworkPlan {
  const plan = scenarioPlan(nowSeconds, true)
  const genesis = {
    ...plan.genesis,
    startTime: nowSeconds - 300 * daySeconds,
    initialStakeDuration: 364 * daySeconds,
    initialStakeDurationOffset: 30 * daySeconds,
    initialStakers: stakers,
    message: 'The demo network of Firn',
  }
  return { ...plan, genesis }
}
