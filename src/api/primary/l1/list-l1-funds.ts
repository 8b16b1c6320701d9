/** For operators of L1s: how long the balances of validators last. */

import { equalBytes, keyOf } from '../../../core/bytes.ts'
import { toCb58, toNodeId } from '../../../core/cb58.ts'
import { itemAt } from '../../../core/item-at.ts'
import { l1FeeRulesOf, l1Price, l1SecondsLeft } from '../../../core/l1-fee.ts'
import { FeeRate, L1Validators } from '../../../shape/operations/l1-validators.ts'
import type { Static } from '../../../shape/type.ts'
import {
  l1Now,
  type L1Validation,
  l1Validations,
} from '../../../store/query/primary/l1-validators.ts'
import { type Operation } from '../../operation/operation.ts'
import { idIn } from '../inputs.ts'
import { keptFor } from '../lists.ts'
import { networkOperation } from '../network-operation.ts'
import type { ServedNetwork, PrimaryContext } from '../network/networks.ts'
import { wideInteger } from '../views/values.ts'

/** Balances of active L1 validators, shortest first. */
export function listL1ValidatorFunds(context: PrimaryContext): Operation<'listL1ValidatorFunds'> {
  const validations = keptFor(context.clock, l1Validations)
  return networkOperation(context, L1Validators.listL1ValidatorFunds, async (network, input) => {
    const rate = await rateOf(network, validations)
    const { subnetId: text } = input.query
    const subnetId = text === undefined ? undefined : idIn('subnetId', text)
    const funded = rate.active
      .filter((validation) => subnetId === undefined || equalBytes(validation.subnetId, subnetId))
      .toSorted(byEnd)
    const page = await input.page({
      rows: async (after, limit) => afterValidation(funded, after).slice(0, limit),
      numberOf: ({ id }) => id,
    })
    const validators = page.rows.map((validation) => ({
      validationId: toCb58(validation.validationId),
      nodeId: toNodeId(validation.nodeId),
      subnetId: toCb58(validation.subnetId),
      weight: wideInteger(validation.weight),
      remainingBalance: String(validation.balanceEnd - rate.accrued),
      daysLeft: rate.daysOf(validation),
    }))
    return { ...page.next, feeRate: rate.view, validators }
  })
}

/** L1s in sum, the one whose first validator runs out coming first. */
export function listL1Funds(context: PrimaryContext): Operation<'listL1Funds'> {
  const validations = keptFor(context.clock, l1Validations)
  return networkOperation(context, L1Validators.listL1Funds, async (network, input) => {
    const rate = await rateOf(network, validations)
    const groups = [
      ...Map.groupBy(await validations(network.store), ({ subnetId }) => keyOf(subnetId)).values(),
    ]
    const ordered = groups.toSorted((a, b) => byEnd(firstOut(a), firstOut(b)))
    const page = await input.page({
      rows: async (after, limit) => {
        const from = ordered.findIndex((group) => itemAt(group, 0).id === after) + 1
        return ordered.slice(from, from + limit)
      },
      numberOf: (group) => itemAt(group, 0).id,
    })
    const subnets = page.rows.map((group) => subnetView(group, rate))
    return { ...page.next, feeRate: rate.view, subnets }
  })
}

/** Validators of one L1 as gauges: `daysLeft` until its first active validator runs out. */
export type L1Watch = {
  readonly activeValidatorCount: number
  readonly balanceNavax: bigint
  readonly daysLeft: number | undefined
}

/**
 * Values of an L1's gauges; `undefined` for an L1 without validations. Reads every validation of the network.
 */
export async function watchedL1(
  network: ServedNetwork,
  subnetId: Uint8Array,
): Promise<L1Watch | undefined> {
  const rate = await rateOf(network, l1Validations)
  const validations = (await l1Validations(network.store)).filter((validation) =>
    equalBytes(validation.subnetId, subnetId),
  )
  if (validations.length === 0) return undefined
  const { activeValidatorCount, totalBalance, daysLeft } = subnetView(validations, rate)
  return { activeValidatorCount, balanceNavax: BigInt(totalBalance), daysLeft }
}

const daySeconds = 86_400n

/** The fee that validators pay now, and the active validators. */
async function rateOf(
  { store, networkId }: ServedNetwork,
  validations: ReturnType<typeof keptFor<ServedNetwork['store'], readonly L1Validation[]>>,
): Promise<{
  readonly accrued: bigint
  readonly perSecond: bigint
  readonly active: readonly L1Validation[]
  readonly daysOf: (validation: L1Validation) => number
  readonly view: Static<typeof FeeRate>
}> {
  const rules = l1FeeRulesOf(networkId)
  const { accrued, excess } = await l1Now(store)
  // A kept validation may have run out since it was read.
  const active = (await validations(store)).filter(({ balanceEnd }) => balanceEnd > accrued)
  const perSecond = l1Price(rules, excess)
  const state = { active: BigInt(active.length), excess }
  return {
    accrued,
    perSecond,
    active,
    daysOf: ({ balanceEnd }) =>
      Number((l1SecondsLeft(rules, state, balanceEnd - accrued) * 100n) / daySeconds) / 100,
    view: {
      perSecond: String(perSecond),
      perDay: String(perSecond * daySeconds),
      activeValidators: active.length,
      target: Number(rules.target),
      excess: String(excess),
    },
  }
}

/** By when the balance is used up; those without one last. */
function byEnd(a: L1Validation | undefined, b: L1Validation | undefined): number {
  const [left, right] = [endOf(a), endOf(b)]
  if (left !== right) return left < right ? -1 : 1
  return (a?.id ?? 0) - (b?.id ?? 0)
}

function endOf(validation: L1Validation | undefined): bigint {
  return validation === undefined || validation.balanceEnd === 0n
    ? 2n ** 64n
    : validation.balanceEnd
}

/** Returns the validations after the one with this number; all validations when it is gone. */
function afterValidation(
  validations: readonly L1Validation[],
  id: number | undefined,
): readonly L1Validation[] {
  return id === undefined
    ? validations
    : validations.slice(validations.findIndex((validation) => validation.id === id) + 1)
}

function firstOut(group: readonly L1Validation[]): L1Validation | undefined {
  return group.toSorted(byEnd)[0]
}

function subnetView(
  group: readonly L1Validation[],
  rate: Awaited<ReturnType<typeof rateOf>>,
): Static<typeof L1Validators.listL1Funds.response>['subnets'][number] {
  const active = group.filter(({ balanceEnd }) => balanceEnd > rate.accrued)
  const sum = (
    validations: readonly L1Validation[],
    of: (validation: L1Validation) => bigint,
  ): bigint => validations.reduce((total, validation) => total + of(validation), 0n)
  const weight = ({ weight: own }: L1Validation): bigint => own
  const first = firstOut(active)
  return {
    subnetId: toCb58(itemAt(group, 0).subnetId),
    validatorCount: group.length,
    activeValidatorCount: active.length,
    seats: group.length,
    activeSeats: active.length,
    totalWeight: wideInteger(sum(group, weight)),
    activeWeight: wideInteger(sum(active, weight)),
    totalBalance: String(sum(active, ({ balanceEnd }) => balanceEnd - rate.accrued)),
    feesPerDay: String(BigInt(active.length) * rate.perSecond * daySeconds),
    daysLeft: first === undefined ? undefined : rate.daysOf(first),
  }
}
