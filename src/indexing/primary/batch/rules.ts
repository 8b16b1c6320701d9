/**
 * Rules that differ between networks and over time: upgrade times, staking and fee parameters.
 *
 * Source: avalanchego upgrade/upgrade.go, genesis/genesis_{mainnet,fuji,local}.go,
 * vms/saevm/cchain/state/bonus_blocks.json.
 */

import { type L1FeeRules, l1FeeRulesOf } from '../../../core/l1-fee.ts'

/** Unix seconds from which each upgrade that changes how blocks are read is active. */
export type Upgrades = {
  readonly apricotPhase5: number
  readonly cortina: number
  readonly durango: number
  readonly etna: number
  readonly helicon: number
}

/** Rates in millionths of the supply, `mintingPeriod` in seconds, `supplyCap` in smallest units. */
export type RewardRules = {
  readonly minConsumptionRate: bigint
  readonly maxConsumptionRate: bigint
  readonly mintingPeriod: bigint
  readonly supplyCap: bigint
}

/** All that replay must know about a network besides its genesis. */
export type PrimaryRules = {
  readonly upgrades: Upgrades
  readonly reward: RewardRules
  readonly l1Fee: L1FeeRules
  /** nAVAX; caps what an auto-renewed validator restakes. */
  readonly maxValidatorStake: bigint
  /** C-Chain heights whose imports consumed nothing. */
  readonly bonusBlocks: ReadonlySet<number>
}

/** Upstream's time of an upgrade that is not scheduled. */
export const unscheduled = 253_399_622_400

/** Reward of the primary network; the same on every network AvalancheGo knows. */
export const primaryReward: RewardRules = {
  minConsumptionRate: 100_000n,
  maxConsumptionRate: 120_000n,
  mintingPeriod: 31_536_000n,
  // 720 M AVAX.
  supplyCap: 720_000_000_000_000_000n,
}

const maxValidatorStake = 3_000_000_000_000_000n

const bonusBlocks = [
  102_972, 103_105, 103_143, 103_183, 103_197, 103_203, 103_208, 103_209, 103_259, 103_261, 103_266,
  103_287, 103_339, 103_346, 103_350, 103_358, 103_437, 103_472, 103_478, 103_493, 103_514, 103_536,
  103_545, 103_547, 103_554, 103_555, 103_559, 103_561, 103_563, 103_564, 103_569, 103_570, 103_575,
  103_577, 103_578, 103_582, 103_587, 103_590, 103_591, 103_594, 103_597, 103_598, 103_603, 103_604,
  103_607, 103_612, 103_614, 103_617, 103_618, 103_621, 103_623, 103_624, 103_627, 103_628, 103_629,
  103_630, 103_633,
] as const

const mainnet: PrimaryRules = {
  upgrades: {
    apricotPhase5: 1_638_468_000,
    cortina: 1_682_434_800,
    durango: 1_709_740_800,
    etna: 1_734_368_400,
    helicon: unscheduled,
  },
  reward: primaryReward,
  l1Fee: l1FeeRulesOf(1),
  maxValidatorStake,
  bonusBlocks: new Set(bonusBlocks),
}

const fuji: PrimaryRules = {
  upgrades: {
    apricotPhase5: 1_637_766_000,
    cortina: 1_680_793_200,
    durango: 1_707_840_000,
    etna: 1_732_550_400,
    helicon: unscheduled,
  },
  reward: primaryReward,
  l1Fee: l1FeeRulesOf(5),
  maxValidatorStake,
  bonusBlocks: new Set(),
}

/** Everything but Helicon is active from the start of local and private networks. */
export const localStart = 1_607_144_400

const local: PrimaryRules = {
  upgrades: {
    apricotPhase5: localStart,
    cortina: localStart,
    durango: localStart,
    etna: localStart,
    helicon: unscheduled,
  },
  reward: primaryReward,
  l1Fee: l1FeeRulesOf(0),
  maxValidatorStake,
  bonusBlocks: new Set(),
}

/**
 * Rules of a network. `upgrades` are the node's own (`info.upgrades`), which win over the table but for
 * what is scheduled on mainnet and Fuji: no node changes that. Any network but 1 and 5 has the local
 * parameters, as in nodes without flags of their own.
 */
export function rulesOf(networkId: number, upgrades: Partial<Upgrades> = {}): PrimaryRules {
  const base = networkId === 1 ? mainnet : networkId === 5 ? fuji : local
  const isKnown = (time: number): boolean => base !== local && time !== unscheduled
  const scheduled = Object.entries(base.upgrades).filter(([, time]) => isKnown(time))
  return { ...base, upgrades: { ...base.upgrades, ...upgrades, ...Object.fromEntries(scheduled) } }
}

/**
 * Upgrade times as the node has them, by upstream's names. Source: avalanchego upgrade/upgrade.go.
 */
export function upgradesOf(upgrades: Readonly<Record<string, number>>): Partial<Upgrades> {
  const names: Readonly<Record<keyof Upgrades, string>> = {
    apricotPhase5: 'apricotPhase5Time',
    cortina: 'cortinaTime',
    durango: 'durangoTime',
    etna: 'etnaTime',
    helicon: 'heliconTime',
  }
  const found: Partial<Record<keyof Upgrades, number>> = {}
  for (const [name, upstream] of Object.entries(names)) {
    const time = upgrades[upstream]
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of `names`
    if (time !== undefined) found[name as keyof Upgrades] = time
  }
  return found
}
