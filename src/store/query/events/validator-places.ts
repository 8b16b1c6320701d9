/** Places where something happened to validators and delegators of the P-Chain, oldest first. */

import { keyOf } from '../../../core/bytes.ts'
import { pTypes } from '../../../core/type-ids.ts'
import { type Reader, statement, type Value } from '../../engine/database.ts'
import { txStart } from '../../schema/primary/bodies.ts'
import { blockOfPos, firstPosOf } from '../../schema/primary/position.ts'
import { stakersByTx } from '../primary/stakers.ts'
import { transactionsAt } from '../primary/transactions.ts'
import type { PlaceRange } from './places-of-addresses.ts'
import type { Watched } from './watch.ts'

/** Something happened at `pos` to a validator or delegator of this node and subnet. */
export type ValidatorPlace = {
  readonly pos: number
  readonly nodeId: Uint8Array
  readonly subnetId: Uint8Array
}

const stakesIn = statement(
  `select s.pos, n.bytes, s.subnet_id from staker s join node n on n.id = s.node
   where s.pos >= ? and s.pos < ? order by s.pos`,
)
const stakeAt = statement(
  `select s.role, n.bytes, s.subnet_id from staker s join node n on n.id = s.node where s.pos = ?`,
)
const changesText = `c.pos, n.bytes, l.subnet_id from l1_change c
   join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
   where c.pos >= ? and c.pos < ? and c.pos >= 0 order by c.pos`
const changesIn = statement(`select ${changesText}`)
const transactionsIn = statement(
  'select pos, body from primary_transaction where pos >= ? and pos < ? order by pos',
  { over: 'tables' },
)

const rewardTypes: ReadonlySet<number> = new Set([
  pTypes.RewardValidatorTx,
  pTypes.RewardAutoRenewedValidatorTx,
])

/**
 * Effects of transactions in `range`: stakes begun, rewards, changes of L1 validators, and balances
 * that ran out after a block's transactions. Cost: the transactions of the range.
 */
export async function validatorPlaces(
  reader: Reader,
  { from, until }: PlaceRange,
): Promise<ValidatorPlace[]> {
  const places: ValidatorPlace[] = []
  for (const question of [stakesIn, changesIn])
    for (const row of await reader.all(question, [from, until]))
      places.push({ pos: row[0], nodeId: row[1], subnetId: row[2] })
  const rows = await reader.all(transactionsIn, [from, until])
  const rewarding = rows
    .filter((row) => rewardTypes.has(txStart.fromStart(row[1]).typeId))
    .map((row) => row[0])
  for (const { pos, body } of await transactionsAt(reader, rewarding)) {
    const [staker] =
      body.stakingTxId === undefined ? [] : await stakersByTx(reader, [body.stakingTxId])
    if (staker !== undefined) places.push({ pos, nodeId: staker.nodeId, subnetId: staker.subnetId })
  }
  return places.toSorted((a, b) => a.pos - b.pos)
}

/** The stake that the transaction at `pos` began; at most one. One seek. */
export async function stakesAt(
  reader: Reader,
  pos: number,
): Promise<
  readonly (Omit<ValidatorPlace, 'pos'> & { readonly role: 'validator' | 'delegator' })[]
> {
  const rows = await reader.all(stakeAt, [pos])
  return rows.map((row) => ({
    role: row[0] === 0 ? 'validator' : 'delegator',
    nodeId: row[1],
    subnetId: row[2],
  }))
}

/** Returns whether a webhook watches this node and subnet. */
export function concerns(
  { kind, key, only }: Exclude<Watched, { readonly kind: 'addresses' }>,
  { nodeId, subnetId }: Pick<ValidatorPlace, 'nodeId' | 'subnetId'>,
): boolean {
  const [own, other] = kind === 'node' ? [nodeId, subnetId] : [subnetId, nodeId]
  if (keyOf(own) !== keyOf(key)) return false
  return only.length === 0 || only.some((one) => keyOf(one) === keyOf(other))
}

const ranOut = {
  node: statement(
    `select c.height, n.bytes, l.subnet_id from l1_validator l
     join node n on n.id = l.node join l1_change c on c.l1_id = l.id
     where n.bytes = ? and c.height >= ? and c.height < ? and c.pos = -1`,
  ),
  subnet: statement(
    `select c.height, n.bytes, l.subnet_id from l1_validator l
     join node n on n.id = l.node join l1_change c on c.l1_id = l.id
     where l.subnet_id = ? and c.height >= ? and c.height < ? and c.pos = -1`,
  ),
} as const

/**
 * Blocks of `range` before whose transactions a balance ran out, as their first places. Cost: a seek
 * for each L1 validation of the node or subnet.
 */
export async function ranOutPlaces(
  reader: Reader,
  watched: Exclude<Watched, { readonly kind: 'addresses' }>,
  { from, until }: PlaceRange,
): Promise<number[]> {
  const values: Value[] = [watched.key, blockOfPos(from), blockOfPos(until - 1) + 1]
  const rows = await reader.all(ranOut[watched.kind], values)
  const wanted = rows.filter((row) => concerns(watched, { nodeId: row[1], subnetId: row[2] }))
  const places = wanted.map(([height]) => firstPosOf(height))
  return [...new Set(places)].filter((pos) => pos >= from && pos < until)
}
