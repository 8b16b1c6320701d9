/** A network in sum. Source: official clients, GetNetworkDetailsResponse. */

import { withPlaces } from '../../../core/text.ts'
import { PrimaryNetwork } from '../../../shape/operations/primary-network.ts'
import type { Static } from '../../../shape/type.ts'
import { type StakeSummary, stakeSummary } from '../../../store/query/primary/stakers.ts'
import { type Operation } from '../../operation/operation.ts'
import { keptFor } from '../lists.ts'
import { networkOperation } from '../network-operation.ts'
import type { PrimaryContext } from './networks.ts'

/** Stake, delegation and reward rates of the primary network. */
export function getNetworkDetails(context: PrimaryContext): Operation<'getNetworkDetails'> {
  const summaries = keptFor(context.clock, stakeSummary)
  return networkOperation(context, PrimaryNetwork.getNetworkDetails, async ({ store }) =>
    view(await summaries(store)),
  )
}

function view(summary: StakeSummary): Static<typeof PrimaryNetwork.getNetworkDetails.response> {
  const { validators, delegators, supply } = summary
  const versions = [...summary.byReach].map(([version, { weight, count }]) => ({
    version,
    amountStaked: String(weight),
    validatorCount: count,
    weight,
  }))
  return {
    validatorDetails: {
      validatorCount: validators.count,
      totalAmountStaked: String(validators.weight),
      estimatedAnnualStakingReward: String(summary.potentialRewards),
      stakingDistributionByVersion: versions
        .toSorted((a, b) => (a.weight < b.weight ? 1 : -1))
        .map(({ weight: _order, ...shown }) => shown),
      stakingRatio: fraction(validators.weight + delegators.weight, supply),
    },
    delegatorDetails: {
      delegatorCount: delegators.count,
      totalAmountStaked: String(delegators.weight),
    },
    apr: { shortest: yearly(supply, 14), longest: yearly(supply, 365) },
    currentSupply: String(supply),
  }
}

const fractionPlaces = 20

/** A fraction with twenty decimals. */
function fraction(part: bigint, whole: bigint): string {
  const scaled = whole === 0n ? 0n : (part * 10n ** BigInt(fractionPlaces)) / whole
  return withPlaces(scaled, fractionPlaces)
}

// 720 M AVAX, and the rates of a year at the ends of the range, in millionths.
// Source: avalanchego genesis/params.go; before Helicon, which lowers the first over 90 days.
const supplyCap = 720_000_000_000_000_000n

const minRate = 100_000n

const maxRate = 120_000n

/** Yearly rate in percent of a stake of `days`. Source: vms/platformvm/reward/calculator.go. */
function yearly(supply: bigint, days: number): string {
  if (supply === 0n) return '0.00'
  const rate = minRate * 365n + (maxRate - minRate) * BigInt(days)
  // Hundredths of a percent: 10^4 of the whole.
  const hundredths = ((supplyCap - supply) * rate * 10_000n) / (supply * 365n * 1_000_000n)
  return withPlaces(hundredths, 2)
}
