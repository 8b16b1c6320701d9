/** Staking periods: by the ids of their transactions, of owners and nodes, and in sum. */

import { keyOf, toBigint } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { stakerBody, type StakeDayBody, stakeDayBody } from '../../schema/primary/bodies.ts'
import { prefixOf, stakerStatuses } from '../../schema/primary/position.ts'
import {
  amount,
  body,
  bytes,
  integer,
  mapped,
  maybe,
  oneOf,
  type RowOf,
  storedRow,
  bothOrders,
} from '../stored-row.ts'
import { type BothOrders, mergeOwnerLists, type OwnerPage } from './merged-lists.ts'

/** A validating or delegating period, of `staker s join node n`. */
export const stakerRow = storedRow(
  {
    pos: integer('s.pos'),
    txId: bytes('s.tx_id'),
    role: oneOf('s.role', ['validator', 'delegator']),
    status: oneOf('s.status', stakerStatuses),
    subnetId: bytes('s.subnet_id'),
    nodeId: bytes('n.bytes'),
    /** Number of the node. */
    node: integer('s.node'),
    /** Delegators: the period of the validator they joined. */
    validatorTxId: maybe(bytes('s.validator_tx')),
    /** Smallest unit; below 0 where delegation is not possible. */
    capacity: amount('s.capacity'),
    /** Ten-thousandths of a percent as last polled; absent when never. */
    uptime: mapped(integer('s.uptime'), (uptime) => (uptime < 0 ? undefined : uptime)),
    connected: mapped(integer('s.connected'), (is) => (is < 0 ? undefined : is === 1)),
    activatedHeight: maybe(integer('s.activated_height')),
    endedHeight: maybe(integer('s.ended_height')),
  },
  body('s.body', stakerBody),
)
/** One such period. */
export type StoredStaker = RowOf<typeof stakerRow>

const byPrefix = stakerRow.statement(
  (columns, { list, number }) => `select ${columns}
   from ${list} cross join primary_transaction_by_id i cross join staker s
   join node n on n.id = s.node where i.prefix = ${number} and s.pos = i.pos`,
)

/** Staking periods by the ids of their transactions; other ids are left out. Two seeks each. */
export async function stakersByTx(
  reader: Reader,
  txIds: readonly Uint8Array[],
): Promise<StoredStaker[]> {
  if (txIds.length === 0) return []
  const wanted = new Set(txIds.map(keyOf))
  const prefixes = [...new Set(txIds.map(prefixOf))]
  const stakers = await stakerRow.all(reader, byPrefix, [JSON.stringify(prefixes)])
  return stakers.filter(({ txId }) => wanted.has(keyOf(txId)))
}

// Stakes that are running, of reward owners or nodes, by place.
//
// Each comes once. Cost: one range of `staker_by_address` or `staker_by_node` per address or
// node; stakes that ended are passed over.

const openStakersQuestions = {
  address: bothOrders((order, sign) =>
    stakerRow.statement(
      (columns) => `select ${columns} from staker_by_address a
       join staker s on s.pos = a.pos join node n on n.id = s.node
       where a.address_id = ? and a.pos ${sign} ? and s.status = 1
       order by a.pos ${order} limit ?`,
    ),
  ),
  node: bothOrders((order, sign) =>
    stakerRow.statement(
      (columns) => `select ${columns} from staker s join node n on n.id = s.node
       where s.node = ? and s.role in (0, 1) and s.pos ${sign} ? and s.status = 1
       order by s.pos ${order} limit ?`,
    ),
  ),
} as const

/** Stakes of the page. */
export function listOpenStakers(reader: Reader, query: OwnerPage): Promise<StoredStaker[]> {
  const { addresses, nodes } = query
  return mergeOwnerLists(reader, query, {
    lists: addresses ?? nodes ?? [],
    question: openStakersQuestions[addresses === undefined ? 'node' : 'address'],
    read: stakerRow.read,
    placeOf: ({ pos }) => pos,
    accepts: ({ permissioned }) => !permissioned,
  })
}

/** Number of stakers, and their weight in nAVAX. */
type Counted = { readonly count: number; readonly weight: bigint }

/** Result of {@link stakeSummary}. */
export type StakeSummary = {
  readonly validators: Counted
  readonly delegators: Counted
  /** nAVAX that all running stakes may earn. */
  readonly potentialRewards: bigint
  /** nAVAX. */
  readonly supply: bigint
  /** Validators with their delegations, by whether the polled node was connected to them. */
  readonly byReach: ReadonlyMap<'offline' | 'unknown', Counted>
}

const running = statement(
  `select role, node, connected, body from staker
   where role in (0, 1) and status = 1 and subnet_id = ?`,
)
const supplyOf = statement('select amount from supply where subnet_id = ?')

type Sum = { count: number; weight: bigint }

/** Reads every active staker: some ten thousand rows on mainnet, so callers keep the answer. */
export async function stakeSummary(reader: Reader): Promise<StakeSummary> {
  const primary = new Uint8Array(32)
  const rows = await reader.all(running, [primary])
  const sums: Record<'validators' | 'delegators', Sum> = {
    validators: { count: 0, weight: 0n },
    delegators: { count: 0, weight: 0n },
  }
  const byNode = new Map<number, { offline: boolean; weight: bigint; validators: number }>()
  let potentialRewards = 0n
  for (const [role, node, connected, body] of rows) {
    const { weight, potentialReward } = stakerBody.fromBytes(body)
    potentialRewards += potentialReward
    const isValidator = role === 0
    const sum = isValidator ? sums.validators : sums.delegators
    sum.count++
    sum.weight += weight
    const own = byNode.get(node) ?? { offline: false, weight: 0n, validators: 0 }
    own.weight += weight
    if (isValidator) own.validators++
    if (isValidator && connected === 0) own.offline = true
    byNode.set(node, own)
  }
  const byReach = new Map<'offline' | 'unknown', Sum>()
  for (const { offline, weight, validators } of byNode.values()) {
    const reach = offline ? 'offline' : 'unknown'
    const sum = byReach.get(reach) ?? { count: 0, weight: 0n }
    byReach.set(reach, { count: sum.count + validators, weight: sum.weight + weight })
  }
  const supply = (await reader.get(supplyOf, [primary]))?.[0]
  return {
    ...sums,
    potentialRewards,
    supply: supply === undefined ? 0n : toBigint(supply),
    byReach,
  }
}

const stakeDaysQuestion = statement(
  'select day, body from stake_day where subnet_id = ? order by day',
)

/**
 * Totals after the last change of each day, by its first second, oldest first; days without a
 * change are missing. Cost: at most 365 rows a year.
 */
export async function stakeDays(
  reader: Reader,
  subnetId: Uint8Array,
): Promise<ReadonlyMap<number, StakeDayBody>> {
  const rows = await reader.all(stakeDaysQuestion, [subnetId])
  return new Map(rows.map(([day, body]) => [day, stakeDayBody.fromBytes(body)]))
}

// Delegations by place, of owners, of nodes, or all; each once.
//
// Cost: one range of `staker_by_address` or `staker_by_node` per address or node, else one range of
// `staker_by_status` per state; those of other states are passed over.

/** Owners and states of delegations. */
type DelegatorQuery = OwnerPage & { readonly statuses: readonly (typeof stakerStatuses)[number][] }

const delegatorsQuestion = (list: string, place: string): BothOrders =>
  bothOrders((order, sign) =>
    stakerRow.statement(
      (columns) => `select ${columns} from ${list} and s.role = 1 and ${place} ${sign} ?
       order by ${place} ${order} limit ?`,
    ),
  )
const delegatorsQuestions = {
  address: delegatorsQuestion(
    `staker_by_address a join staker s on s.pos = a.pos join node n on n.id = s.node
     where a.address_id = ?`,
    'a.pos',
  ),
  node: delegatorsQuestion('staker s join node n on n.id = s.node where s.node = ?', 's.pos'),
  status: delegatorsQuestion('staker s join node n on n.id = s.node where s.status = ?', 's.pos'),
} as const

/** Delegations of the page. */
export function listDelegators(reader: Reader, query: DelegatorQuery): Promise<StoredStaker[]> {
  const { addresses, nodes, statuses } = query
  const states = new Set(statuses)
  const kind = addresses !== undefined ? 'address' : nodes !== undefined ? 'node' : 'status'
  return mergeOwnerLists(reader, query, {
    lists: addresses ?? nodes ?? statuses.map((status) => stakerStatuses.indexOf(status)),
    question: delegatorsQuestions[kind],
    read: stakerRow.read,
    placeOf: ({ pos }) => pos,
    accepts: ({ status }) => states.has(status),
  })
}

const validatorOfNode = stakerRow.statement(
  (columns) => `select ${columns} from staker s join node n on n.id = s.node
   where n.bytes = ? and s.role = 0 and s.status in (0, 1) and s.subnet_id = ?
   order by s.pos desc limit 1`,
)

/** The validation that a delegation which waits for its start will join. One range of a node. */
export async function validatorToJoin(
  reader: Reader,
  { nodeId, subnetId }: Pick<StoredStaker, 'nodeId' | 'subnetId'>,
): Promise<StoredStaker | undefined> {
  return stakerRow.first(reader, validatorOfNode, [nodeId, subnetId])
}
