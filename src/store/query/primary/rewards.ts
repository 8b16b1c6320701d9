/**
 * Rewards paid, newest first or oldest first, of owners or nodes.
 *
 * Order: number of the reward's UTXO, which grows with time. Each comes once. Cost: one range of
 * `reward_by_address` or `reward_by_node` per address or node.
 */

import { itemAt } from '../../../core/item-at.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { rewardBody, type CycleBody, cycleBody } from '../../schema/primary/bodies.ts'
import { type CycleOutcome, cycleOutcomes } from '../../schema/primary/position.ts'
import { body, bytes, integer, type RowOf, storedRow, maybe, bothOrders } from '../stored-row.ts'
import { mergeOwnerLists, type OwnerPage } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './stakers.ts'

/** A reward `r`, and the node `n` it was earned with. */
const rewardRow = storedRow(
  {
    /** Number of its UTXO. */
    utxo: integer('r.utxo'),
    stakerTxId: bytes('r.staker_tx'),
    nodeId: bytes('n.bytes'),
    /** Number of the node. */
    node: integer('r.node'),
  },
  body('r.body', rewardBody),
)
/** One reward. */
export type StoredReward = RowOf<typeof rewardRow>

const questions = {
  address: bothOrders((order, sign) =>
    rewardRow.statement(
      (columns) => `select ${columns} from reward_by_address a
       join reward r on r.utxo = a.utxo join node n on n.id = r.node
       where a.address_id = ? and a.utxo ${sign} ? order by a.utxo ${order} limit ?`,
    ),
  ),
  node: bothOrders((order, sign) =>
    rewardRow.statement(
      (columns) => `select ${columns} from reward r join node n on n.id = r.node
       where r.node = ? and r.utxo ${sign} ? order by r.utxo ${order} limit ?`,
    ),
  ),
} as const

/** Rewards of the page. */
export function listRewards(reader: Reader, query: OwnerPage): Promise<StoredReward[]> {
  const { addresses, nodes } = query
  return mergeOwnerLists(reader, query, {
    lists: addresses ?? nodes ?? [],
    question: questions[addresses === undefined ? 'node' : 'address'],
    read: rewardRow.read,
    placeOf: ({ utxo }) => utxo,
    accepts: () => true,
  })
}

const ofStakers = rewardRow.statement(
  (columns, { list, bytes, by }) => `select ${columns} from ${list}
   cross join reward r ${by('reward_by_staker')} join node n on n.id = r.node
   where r.staker_tx = ${bytes} order by r.utxo`,
)

/** Rewards paid for staking transactions. One seek of `reward_by_staker` each. */
export async function rewardsOfStakers(
  reader: Reader,
  txIds: readonly Uint8Array[],
): Promise<StoredReward[]> {
  if (txIds.length === 0) return []
  const texts = txIds.map((id) => Buffer.from(id).toString('hex'))
  return rewardRow.all(reader, ofStakers, [JSON.stringify(texts)])
}

// Cycles of auto-renewed validators that are over.
//
// Order: place of the position, then number, either way; positions of a node follow one another in
// time. Cost: one range of `staker_by_node`, a range of `cycle` for each position, a seek for each
// row.

/** A settled cycle `c` of the position `s`, and the cycle `p` before it. */
const cycleRow = storedRow({
  /** `pos` of the position. */
  staker: integer('c.staker'),
  number: integer('c.number'),
  stakingTxId: bytes('s.tx_id'),
  cycle: body('c.body', cycleBody),
  before: maybe(body('p.body', cycleBody)),
})

/** One settled cycle. */
export type StoredCycle = Omit<CycleBody, 'outcome' | 'totalDelegatorCount'> &
  Pick<RowOf<typeof cycleRow>, 'staker' | 'number' | 'stakingTxId'> & {
    readonly outcome: CycleOutcome
    /** Delegations of this cycle alone. */
    readonly delegatorCount: number
    readonly delegatedWeight: bigint
  }

/** Where a page ended. */
export type CycleCursor = Pick<StoredCycle, 'staker' | 'number'>

/** Conditions of cycles. */
type CycleQuery = {
  /** Number of a node. */
  readonly node: number
  /** Only of the position this transaction began. */
  readonly stakingTxId?: Uint8Array
  readonly order: 'asc' | 'desc'
  readonly after: CycleCursor | undefined
  readonly limit: number
}

const cyclesQuestions = bothOrders((order, sign) =>
  cycleRow.statement(
    (columns) => `select ${columns} from staker s join cycle c on c.staker = s.pos
     left join cycle p on p.staker = c.staker and p.number = c.number - 1
     where s.node = ? and s.role = 0 and (? = 0 or s.tx_id = ?)
       and (c.staker, c.number) ${sign} (?, ?)
     order by c.staker ${order}, c.number ${order} limit ?`,
  ),
)
const first: CycleCursor = { staker: -1, number: 0 }
const last: CycleCursor = { staker: Number.MAX_SAFE_INTEGER, number: 0 }

/** Cycles of the page. */
export async function cyclesOfNode(reader: Reader, query: CycleQuery): Promise<StoredCycle[]> {
  const { node, stakingTxId, order, limit } = query
  const { staker, number } = query.after ?? (order === 'asc' ? first : last)
  const only = [stakingTxId === undefined ? 0 : 1, stakingTxId ?? new Uint8Array()]
  const rows = await reader.all(cyclesQuestions[order], [node, ...only, staker, number, limit])
  return rows.map((row) => cycleOf(cycleRow.read(row)))
}

function cycleOf({ cycle, before, ...place }: RowOf<typeof cycleRow>): StoredCycle {
  const { outcome, totalDelegatorCount, totalDelegatedWeight, ...rest } = cycle
  return {
    ...rest,
    ...place,
    totalDelegatedWeight,
    outcome: itemAt(cycleOutcomes, outcome),
    delegatorCount: totalDelegatorCount - (before?.totalDelegatorCount ?? 0),
    delegatedWeight: totalDelegatedWeight - (before?.totalDelegatedWeight ?? 0n),
  }
}

const lastOf = statement('select body from cycle where staker = ? order by number desc limit 1')

/** Delegations that a position had before the cycle that runs. One seek. */
export async function delegatedBefore(
  reader: Reader,
  staker: number,
): Promise<Pick<CycleBody, 'totalDelegatorCount' | 'totalDelegatedWeight'>> {
  const row = await reader.get(lastOf, [staker])
  if (row === undefined) return { totalDelegatorCount: 0, totalDelegatedWeight: 0n }
  return cycleBody.fromBytes(row[0])
}

const settledAfter = statement(
  'select body from cycle where staker = ? and height > ? order by number limit 2',
)

/**
 * Expected reward of a position for the cycle that the settlement in the block at `height`
 * began; `undefined` when it ended the position, and for the cycle that still runs, which is the
 * staker's own. One range of `cycle`.
 */
export async function expectedAfter(
  reader: Reader,
  { pos, status, potentialReward }: StoredStaker,
  height: number,
): Promise<bigint | undefined> {
  const rows = await reader.all(settledAfter, [pos, height])
  const [settled, next] = rows.map(([body]) => cycleBody.fromBytes(body))
  if (settled === undefined || cycleOutcomes[settled.outcome] !== 'renewed') return undefined
  if (next !== undefined) return next.potentialReward
  return status === 'active' ? potentialReward : undefined
}

const running = stakerRow.statement(
  (columns, { by }) => `select ${columns}
   from staker s ${by('staker_by_node')} join node n on n.id = s.node
   where s.node = ? and s.role = 0 and s.status = 1 and (? = 0 or s.tx_id = ?)
   order by s.pos desc`,
)

/** The position of a node that renews itself and runs. One range of `staker_by_node`. */
export async function runningPosition(
  reader: Reader,
  { node, stakingTxId }: Pick<CycleQuery, 'node' | 'stakingTxId'>,
): Promise<StoredStaker | undefined> {
  const only = [stakingTxId === undefined ? 0 : 1, stakingTxId ?? new Uint8Array()]
  const stakers = await stakerRow.all(reader, running, [node, ...only])
  return stakers.find(({ autoRenewal }) => autoRenewal !== undefined)
}

const anyCycle = statement('select 1 from cycle limit 1')

const ofOwners = stakerRow.statement(
  (columns, { list, number }) => `select ${columns} from ${list} cross join staker_by_address a
   cross join staker s join node n on n.id = s.node
   where a.address_id = ${number} and s.pos = a.pos and s.role = 0 and s.status = 1
     and exists (select 1 from cycle c where c.staker = a.pos)`,
)

/**
 * Positions of owners (numbers) that run and have renewed themselves, each once. One seek where no
 * validator ever did; else one range of `staker_by_address` and a seek of `staker` for each stake.
 */
export async function renewedPositions(
  reader: Reader,
  owners: readonly number[],
): Promise<StoredStaker[]> {
  if ((await reader.get(anyCycle)) === undefined) return []
  const stakers = await stakerRow.all(reader, ofOwners, [JSON.stringify(owners)])
  return [...new Map(stakers.map((staker) => [staker.pos, staker])).values()]
}
