/** Document A, operation 7: validators, and the validations of one node. */

import { struct } from '../../../codec/kit.ts'
import { primarySubnetId } from '../../../codec/primary/ids.ts'
import { f64, i64 } from '../../../codec/primitives.ts'
import { equalBytes, keyOf } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { Validators } from '../../../shape/operations/validators.ts'
import { validationStatuses, type Validator } from '../../../shape/primary/validator.ts'
import type { Database } from '../../../store/engine/database.ts'
import { nodesContaining, numberOfNode } from '../../../store/query/primary/addresses.ts'
import { rewardsOfStakers } from '../../../store/query/primary/rewards.ts'
import type { StoredStaker } from '../../../store/query/primary/stakers.ts'
import {
  totalWeights,
  type Bounds,
  type ListedValidator,
  listValidators as validatorRows,
  type ValidatorCursor,
  delegationFeesPaid,
} from '../../../store/query/primary/validators.ts'
import { rewardKinds } from '../../../store/schema/primary/position.ts'
import { type Input, type Operation } from '../../operation/operation.ts'
import { nextToken, readPage, cursorOf } from '../../operation/paging.ts'
import { idIn, itemsOf, nodeIdIn } from '../inputs.ts'
import { keptFor } from '../lists.ts'
import { networkOperation } from '../network-operation.ts'
import type { ServedNetwork, PrimaryContext } from '../network/networks.ts'
import { stakeAssets } from '../views/asset.ts'
import { validatorView } from '../views/validator.ts'

// Parts of node ids may fit many; beyond this the part is too short to be meant.
const maxNodes = 100_000

/** Validators of the primary network and of subnets, in all states. */
export function listValidators(context: PrimaryContext): Operation<'listValidators'> {
  const weightsOf = keptFor(context.clock, totalWeights)
  return networkOperation(context, Validators.listValidators, async (network, { query }) => {
    const { store } = network
    const subnetId = query.subnetId === undefined ? undefined : idIn('subnetId', query.subnetId)
    checkSort(network, query.sortBy, subnetId)
    const nodes = await nodesOf(network, context, query.nodeIds)
    const now = BigInt(Math.floor(context.clock.now() / 1_000))
    const page = await readPage<ListedValidator, ValidatorCursor>(context.tokens, {
      route: Validators.listValidators.id,
      subject: { network: network.network },
      query,
      ...validatorCursor,
      rows: (after, limit) =>
        validatorRows(store, {
          statuses: statusesOf(query),
          sortBy: query.sortBy ?? 'blockIndex',
          order: query.sortOrder ?? 'desc',
          capacity: textBounds(query.minDelegationCapacity, query.maxDelegationCapacity),
          until: scaledBounds({ min: query.minTimeRemaining, max: query.maxTimeRemaining }, 1, now),
          shares: scaledBounds(
            { min: query.minFeePercentage, max: query.maxFeePercentage },
            10_000,
          ),
          uptime: scaledBounds(
            { min: query.minUptimePerformance, max: query.maxUptimePerformance },
            10_000,
          ),
          limit,
          nodes,
          subnetId,
          after,
        }),
      cursorOf: ({ cursor }) => cursor,
    })
    const validators = await validatorViews(network, weightsOf, page.rows)
    return { ...nextToken(page), validators }
  })
}

type Status = (typeof validationStatuses)[number]

/** Only of active validators an uptime is known. */
function statusesOf({
  validationStatus,
  minUptimePerformance,
  maxUptimePerformance,
}: Input<typeof Validators.listValidators>['query']): readonly Status[] {
  const statuses = validationStatus === undefined ? validationStatuses : [validationStatus]
  const isByUptime = minUptimePerformance !== undefined || maxUptimePerformance !== undefined
  return isByUptime ? statuses.filter((status) => status === 'active') : statuses
}

/** Document A: sorting by fee is for mainnet's primary subnet. */
function checkSort(
  network: ServedNetwork,
  sortBy: string | undefined,
  subnetId: Uint8Array | undefined,
): void {
  if (sortBy !== 'delegationFee') return
  const isPrimary = subnetId !== undefined && equalBytes(subnetId, primarySubnetId)
  if (network.network !== 'mainnet' || !isPrimary)
    throw new Fault(
      'bad-parameter',
      'sortBy may be delegationFee only on mainnet with subnetId of the primary network',
    )
}

/** Numbers of nodes whose ids contain any of the parts given. */
async function nodesOf(
  network: ServedNetwork,
  context: PrimaryContext,
  nodeIds: string | undefined,
): Promise<number[] | undefined> {
  const items = itemsOf(nodeIds ?? '')
  if (items.length === 0) return undefined
  if (items.length > context.limits.maxAddresses)
    throw new Fault(
      'bad-parameter',
      `nodeIds must hold at most ${context.limits.maxAddresses} entries: ${items.length}`,
    )
  const found = await Promise.all(
    items.map((item) => nodesContaining(network.store, item, maxNodes)),
  )
  return [...new Set(found.flat())]
}

function textBounds(min: string | undefined, max: string | undefined): Bounds {
  return {
    min: min === undefined ? undefined : BigInt(min),
    max: max === undefined ? undefined : BigInt(max),
  }
}

/** The bounds that the caller gave, both inclusive. */
type Given = { readonly min: number | undefined; readonly max: number | undefined }

/** Bounds in stored units: `factor` of them to one given, counted from `zero`. */
export function scaledBounds({ min, max }: Given, factor: number, zero = 0n): Bounds {
  return {
    min: min === undefined ? undefined : zero + BigInt(Math.ceil(times(min, factor))),
    max: max === undefined ? undefined : zero + BigInt(Math.floor(times(max, factor))),
  }
}

/** A double has 15 digits: 2.01 × 10000 is 20100, where the machine says 20099.999999999996. */
function times(value: number, factor: number): number {
  return Number((value * factor).toPrecision(15))
}

const unbounded = { capacity: {}, until: {}, shares: {}, uptime: {} } as const

/** Validations of a node, newest first. A node never seen has none. */
export function listNodeValidators(
  context: PrimaryContext,
): Operation<'getSingleValidatorDetails'> {
  const weightsOf = keptFor(context.clock, totalWeights)
  const contract = Validators.getSingleValidatorDetails
  return networkOperation(context, contract, async (network, { path, query }) => {
    const node = await numberOfNode(network.store, nodeIdIn('nodeId', path.nodeId))
    const page = await readPage<ListedValidator, ValidatorCursor>(context.tokens, {
      route: contract.id,
      subject: { ...path, network: network.network },
      query,
      ...validatorCursor,
      rows: (after, limit) =>
        validatorRows(network.store, {
          ...unbounded,
          statuses:
            query.validationStatus === undefined ? validationStatuses : [query.validationStatus],
          sortBy: 'blockIndex',
          order: query.sortOrder ?? 'desc',
          nodes: node === undefined ? [] : [node],
          limit,
          after,
        }),
      cursorOf: ({ cursor }) => cursor,
    })
    const validators = await validatorViews(network, weightsOf, page.rows)
    return { ...nextToken(page), validators }
  })
}

/** Reads the total weight of every subnet by `keyOf` its id: `keptFor` of `totalWeights`. */
type WeightsOf = (store: Database) => Promise<ReadonlyMap<string, bigint>>

/** Where a page of validators ended. */
const validatorCursor = cursorOf<ValidatorCursor>(struct({ key: i64, pos: f64 }))

/** Validators as answers show them. */
async function validatorViews(
  network: ServedNetwork,
  weightsOf: WeightsOf,
  rows: readonly StoredStaker[],
): Promise<Validator[]> {
  const active = rows.some(({ status }) => status === 'active')
  const weights = active ? await weightsOf(network.store) : new Map<string, bigint>()
  const completed = rows.filter(({ status }) => status === 'completed').map(({ txId }) => txId)
  // Rewards paid to validators, by `keyOf` their transactions.
  const paid = new Map<string, { validation: bigint; delegation: bigint }>()
  const sumOf = (txId: Uint8Array): { validation: bigint; delegation: bigint } => {
    const sum = paid.get(keyOf(txId)) ?? { validation: 0n, delegation: 0n }
    paid.set(keyOf(txId), sum)
    return sum
  }
  for (const { stakerTxId, kind, amount } of await rewardsOfStakers(network.store, completed)) {
    const sum = sumOf(stakerTxId)
    if (rewardKinds[kind] === 'VALIDATOR') sum.validation += amount
    else if (rewardKinds[kind] === 'VALIDATOR_FEE') sum.delegation += amount
  }
  // Before Cortina fees were paid with each delegation, under the delegator's transaction.
  for (const { validatorTxId, amount } of await delegationFeesPaid(network.store, completed)) {
    sumOf(validatorTxId).delegation += amount
  }
  const assetOf = await stakeAssets(network, rows)
  return rows.map((row) =>
    validatorView(network, row, {
      asset: assetOf(row),
      paid: paid.get(keyOf(row.txId)) ?? { validation: 0n, delegation: 0n },
      totalWeight: weights.get(keyOf(row.subnetId)) ?? 0n,
    }),
  )
}
