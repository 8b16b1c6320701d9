/** The network of the scenario: its genesis, and when its upgrades come. */

import { unzipped } from '../support/chains/recorded-network.ts'
import type { NetworkPlan } from './real-network.ts'

/** Any but those with a genesis of their own. */
export const networkId = 1_337
const longAgo = '2020-12-05T05:00:00Z'
/** What upstream writes for an upgrade without a date. */
const never = '9999-12-01T00:00:00Z'

/** Seconds after the start of the network at which upgrades come. */
export const upgradeSeconds = { durango: 40, etna: 60, granite: 70, helicon: 110 } as const

/**
 * Five nodes with the public keys of the local network, four of them validators from the start.
 * Upgrades up to Cortina were long ago, the others come while the scenario runs,
 * Helicon where the nodes know it.
 */
export function scenarioPlan(nowSeconds: number, withHelicon: boolean): NetworkPlan {
  const after = (seconds: number): string =>
    `${new Date((nowSeconds + seconds) * 1_000).toISOString().slice(0, 19)}Z`
  const local = JSON.parse(unzipped('data/genesis/local.json.gz')) as Record<string, unknown>
  // The fifth node joins later, as a validator that renews itself.
  const initialStakers = (local['initialStakers'] as unknown[]).slice(0, 4)
  const genesis = {
    ...local,
    networkID: networkId,
    startTime: nowSeconds - 3_600,
    initialStakers,
  }
  const old = [
    'apricotPhase1Time',
    'apricotPhase2Time',
    'apricotPhase3Time',
    'apricotPhase4Time',
    'apricotPhase5Time',
    'apricotPhasePre6Time',
    'apricotPhase6Time',
    'apricotPhasePost6Time',
    'banffTime',
    'cortinaTime',
  ]
  const upgrades = {
    ...Object.fromEntries(old.map((name) => [name, longAgo])),
    apricotPhase4MinPChainHeight: 0,
    cortinaXChainStopVertexID: '11111111111111111111111111111111LpoYY',
    durangoTime: after(upgradeSeconds.durango),
    etnaTime: after(upgradeSeconds.etna),
    fortunaTime: after(upgradeSeconds.etna),
    graniteTime: after(upgradeSeconds.granite),
    // Nanoseconds, as AvalancheGo writes durations.
    graniteEpochDuration: 20_000_000_000,
    heliconTime: withHelicon ? after(upgradeSeconds.helicon) : never,
  }
  const flags = ['--min-stake-duration=20s']
  if (withHelicon) flags.push('--helicon-min-stake-duration=20s')
  return { nodes: 5, genesis, upgrades, flags }
}

/**
 * Another network of the same genesis, of one node that needs nobody's vote and is no validator: its blocks are
 * valid, and those of `plan` are others.
 */
export function strangePlan(plan: NetworkPlan): NetworkPlan {
  const alone = [
    '--sybil-protection-enabled=false',
    '--staking-ephemeral-cert-enabled=true',
    '--network-health-min-conn-peers=0',
  ]
  return { ...plan, nodes: 1, flags: [...plan.flags, ...alone] }
}
