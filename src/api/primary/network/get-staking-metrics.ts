/**
 * Stakers of a subnet day by day. Source: official clients, metrics.networks; units are ours where
 * theirs are not given.
 */

import { primarySubnetId } from '../../../codec/primary/ids.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { stakingMetrics, PrimaryNetwork } from '../../../shape/operations/primary-network.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { l1Now, l1Steps } from '../../../store/query/primary/l1-validators.ts'
import { subnetById } from '../../../store/query/primary/network.ts'
import { stakeDays } from '../../../store/query/primary/stakers.ts'
import { type Operation } from '../../operation/operation.ts'
import { idIn } from '../inputs.ts'
import { dayOf } from '../l1/l1-fee-metrics.ts'
import { dayPoints } from '../lists.ts'
import { networkOperation } from '../network-operation.ts'
import { stakeAssets } from '../views/asset.ts'
import type { PrimaryContext } from './networks.ts'

const defaultPoints = 100

/** Counts or weights at the end of each day; of today so far. */
export function getStakingMetrics(context: PrimaryContext): Operation<'getStakingMetrics'> {
  return networkOperation(context, PrimaryNetwork.getStakingMetrics, async (network, input) => {
    const { path, query } = input
    const { store } = network
    const subnetId =
      query.subnetId === undefined ? primarySubnetId : idIn('subnetId', query.subnetId)
    const values = await valuesOf(store, subnetId, path.metric)
    const points = dayPoints(values, (await l1Now(store)).time, query)
    const page = await input.page({
      usualSize: defaultPoints,
      rows: (before, limit) =>
        points.filter(({ timestamp }) => timestamp < (before ?? Infinity)).slice(0, limit),
      numberOf: ({ timestamp }) => timestamp,
    })
    // Asset that is staked in a subnet; `undefined` where only weights are set.
    const elastic = (await subnetById(store, subnetId))?.transformation
    const isPrimary = equalBytes(subnetId, primarySubnetId)
    const stakeAssetId = isPrimary ? network.avaxAssetId : elastic?.assetId
    const asset = (await stakeAssets(network, [{ stakeAssetId }]))({ stakeAssetId })
    return { ...page.next, results: [...page.rows], asset }
  })
}

/** Values by day, oldest first: of stakers, and of an L1's validators. */
async function valuesOf(
  store: Reader,
  subnetId: Uint8Array,
  metric: (typeof stakingMetrics)[number],
): Promise<ReadonlyMap<number, bigint>> {
  const stakers = await stakeDays(store, subnetId)
  const values = new Map([...stakers].map(([day, totals]) => [day, BigInt(totals[metric])]))
  if (metric === 'delegatorCount' || metric === 'delegatorWeight') return values
  // Active validations of an L1, or their weight, after the last change of each day.
  const steps = await l1Steps(store, { kind: 'subnet', id: subnetId })
  const standing = new Map<number, bigint>()
  const validations = new Map<number, bigint>()
  let sum = 0n
  // Entries of one validation are in order already, and sorting keeps that order.
  for (const { validation, time, active, weight } of steps.toSorted((a, b) => a.time - b.time)) {
    const unit = metric === 'validatorCount' ? 1n : weight
    const now = active ? unit : 0n
    sum += now - (standing.get(validation) ?? 0n)
    standing.set(validation, now)
    validations.set(dayOf(time), sum)
  }
  return validations.size === 0 ? values : together(values, validations)
}

/** Two series as one: on a day only one has, the other's last value counts. */
function together(
  stakers: ReadonlyMap<number, bigint>,
  validations: ReadonlyMap<number, bigint>,
): ReadonlyMap<number, bigint> {
  const days = [...new Set([...stakers.keys(), ...validations.keys()])].toSorted((a, b) => a - b)
  const sums = new Map<number, bigint>()
  let [staked, weighed] = [0n, 0n]
  for (const day of days) {
    staked = stakers.get(day) ?? staked
    weighed = validations.get(day) ?? weighed
    sums.set(day, staked + weighed)
  }
  return sums
}
