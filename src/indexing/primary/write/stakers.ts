/** Writes stakers, subnets and L1 validations. */

import { toNodeId } from '../../../core/cb58.ts'
import { f64At, u64At } from '../../../core/item-at.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import { l1ValidatorBody, subnetBody } from '../../../store/schema/primary/bodies.ts'
import { chainNumbers, posOf } from '../../../store/schema/primary/position.ts'
import {
  staker,
  stakerByAddress,
  l1Validator,
  subnet,
} from '../../../store/schema/primary/staking.ts'
import { node } from '../../../store/schema/primary/tables.ts'
import { gather, gatherWords, radixOrder } from '../../stream/radix-order.ts'
import type { StakerColumns, StakersOfBatch } from '../batch/staker-columns.ts'
import type { L1ValidatorRow, SubnetRow } from '../batch/subnet-rows.ts'
import { numbersIn, type Numbers } from './numbers.ts'
import { ownerEntries } from './transactions.ts'

const idBytes = 32
const nodeIdBytes = 20

/** Numbers of node ids, kept with their text. */
export function nodeNumbers(): Numbers {
  return numbersIn(node, 'bytes', (keys) => ({ text: keys.map(toNodeId) }))
}

/** Most a validator may hold with its delegators, and how many times its own weight. */
export type CapacityRules = { readonly maxValidatorStake: bigint; readonly factor: bigint }

// Delegations may reach four times a validator's own stake.
const primaryFactor = 5n

/** Rules of the primary network, or of the elastic subnet `of`. */
export function capacityRules(
  maxValidatorStake: bigint,
  of: SubnetRow['transformation'],
): CapacityRules {
  return of === undefined
    ? { maxValidatorStake, factor: primaryFactor }
    : { maxValidatorStake: of.maxValidatorStake, factor: BigInt(of.maxValidatorWeightFactor) }
}

/** Amount that can still be delegated to a staker, in the smallest unit; -1 when it takes none. */
function capacityOf(stakers: StakerColumns, row: number, rulesOf: StakerFacts['rulesOf']): bigint {
  const isOpen = f64At(stakers.until, row) > 0
  if (stakers.role[row] !== 0 || stakers.permissioned[row] === 1 || !isOpen) return -1n
  const weight = u64At(stakers.weight, row)
  const rules = rulesOf(stakers.subnetId.subarray(row * idBytes, (row + 1) * idBytes))
  const factored = weight * rules.factor
  const limit = factored < rules.maxValidatorStake ? factored : rules.maxValidatorStake
  const left = limit - weight - u64At(stakers.delegatedWeight, row)
  return left > 0n ? left : 0n
}

/** Node ids of stakers. */
export function nodesOfStakers({ nodeId }: StakerColumns): Uint8Array[] {
  const nodes: Uint8Array[] = []
  for (let from = 0; from < nodeId.length; from += nodeIdBytes)
    nodes.push(nodeId.subarray(from, from + nodeIdBytes))
  return nodes
}

/** Look-ups of writing stakers. */
export type StakerFacts = {
  readonly nodes: Numbers
  /** Numbers of addresses by place. */
  readonly owners: Float64Array
  readonly rulesOf: (subnetId: Uint8Array) => CapacityRules
}

/** Writes stakers. The polled columns of those that exist stay as they are. */
export async function writeStakers(
  writer: Writer,
  { made, changed }: StakersOfBatch,
  facts: StakerFacts,
): Promise<void> {
  const unpolled = new Float64Array(made.count).fill(-1)
  await writer.insert(staker, {
    pos: made.pos,
    tx_id: ByteColumn.ofWidth(made.txId, idBytes),
    role: made.role,
    subnet_id: ByteColumn.ofWidth(made.subnetId, idBytes),
    node: nodesOfStakers(made).map(facts.nodes.of),
    shares: made.shares,
    uptime: unpolled,
    connected: unpolled,
    ...changingColumns(made, facts.rulesOf),
  })
  const { owner, row } = ownerEntries(made.owners, facts.owners)
  const order = radixOrder(owner)
  await writer.insert(stakerByAddress, {
    address_id: gather(owner, order),
    pos: gather(made.pos, gatherWords(row, order)),
  })
  await writer.update(staker, { pos: changed.pos, ...changingColumns(changed, facts.rulesOf) })
}

/** Columns that a period may change. Others would only move in their indexes. */
function changingColumns(
  stakers: StakerColumns,
  rulesOf: StakerFacts['rulesOf'],
): Omit<
  ColumnsOf<typeof staker>,
  'pos' | 'tx_id' | 'role' | 'subnet_id' | 'node' | 'shares' | 'uptime' | 'connected'
> {
  const { count, body } = stakers
  const height = (heights: Float64Array): (number | null)[] =>
    Array.from(heights, (one) => (one < 0 ? null : one))
  return {
    status: stakers.status,
    validator_tx: ByteColumn.ofWidth(stakers.validatorTxId, idBytes, stakers.hasValidator),
    until: stakers.until,
    capacity: Array.from(stakers.pos, (_, row) => capacityOf(stakers, row, rulesOf)),
    activated_height: height(stakers.activatedHeight),
    ended_height: height(stakers.endedHeight),
    body: new ByteColumn(stakers.arena, body, { count }),
  }
}

/** Writes subnets, new or changed. */
export async function writeSubnets(writer: Writer, rows: readonly SubnetRow[]): Promise<void> {
  await writer.upsert(subnet, {
    pos: rows.map((row) => posOf(chainNumbers.P, row.createdHeight, row.createdPosition)),
    subnet_id: rows.map((row) => row.subnetId),
    body: rows.map((row) => subnetBody.toBytes(row)),
  })
}

/** Writes L1 validations, new or changed; `idOf` numbers them. */
export async function writeL1Validators(
  writer: Writer,
  rows: readonly L1ValidatorRow[],
  idOf: (validationId: Uint8Array) => number,
  nodes: Numbers,
): Promise<void> {
  await writer.upsert(l1Validator, {
    id: rows.map((row) => idOf(row.validationId)),
    validation_id: rows.map((row) => row.validationId),
    subnet_id: rows.map((row) => row.subnetId),
    node: rows.map((row) => nodes.of(row.nodeId)),
    active: rows.map((row) => (row.endAccumulatedFee > 0n && row.weight > 0n ? 1 : 0)),
    removed_height: rows.map((row) => row.removedHeight ?? null),
    body: rows.map((row) =>
      l1ValidatorBody.toBytes({
        ...row,
        createdPos: posOf(chainNumbers.P, row.createdHeight, row.createdPosition),
      }),
    ),
  })
}
