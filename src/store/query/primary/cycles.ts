/**
 * Cycles of auto-renewed validators that are over.
 *
 * Order: place of the position, then number, either way; positions of a node follow one another in
 * time. Cost: one range of `staker_by_node`, a range of `cycle` for each position, a seek for each row.
 */

import { type Reader, type Row, statement, type Statement } from '../../engine/database.ts'
import { type CycleBody, cycleBody } from '../../schema/primary-bodies.ts'
import { type CycleOutcome, cycleOutcomes } from '../../schema/primary-position.ts'
import { stakerColumns, stakerOf, type StoredStaker } from './staker-rows.ts'
import { bytes } from './utxo-rows.ts'

/** One settled cycle. */
export type StoredCycle = Omit<CycleBody, 'outcome' | 'totalDelegatorCount'> & {
  /** `pos` of the position. */
  readonly staker: number
  readonly number: number
  readonly stakingTxId: Uint8Array
  readonly outcome: CycleOutcome
  /** Delegations of this cycle alone. */
  readonly delegatorCount: number
  readonly delegatedWeight: bigint
}

/** Where a page ended. */
export type CycleCursor = Pick<StoredCycle, 'staker' | 'number'>

/** Which cycles. */
export type CycleQuery = {
  /** Number of a node. */
  readonly node: number
  /** Only of the position this transaction began. */
  readonly stakingTxId?: Uint8Array
  readonly order: 'asc' | 'desc'
  readonly after: CycleCursor | undefined
  readonly limit: number
}

function question(order: 'asc' | 'desc'): Statement {
  const sign = order === 'asc' ? '>' : '<'
  return statement(
    `select c.staker, c.number, s.tx_id, c.body,
       (select p.body from cycle p where p.staker = c.staker and p.number = c.number - 1)
     from staker s join cycle c on c.staker = s.pos
     where s.node = ? and s.role = 0 and (? = 0 or s.tx_id = ?)
       and (c.staker, c.number) ${sign} (?, ?)
     order by c.staker ${order}, c.number ${order} limit ?`,
  )
}

const questions = { asc: question('asc'), desc: question('desc') } as const
const first: CycleCursor = { staker: -1, number: 0 }
const last: CycleCursor = { staker: Number.MAX_SAFE_INTEGER, number: 0 }

/** Cycles of the page. */
export async function cyclesOfNode(reader: Reader, query: CycleQuery): Promise<StoredCycle[]> {
  const { node, stakingTxId, order, limit } = query
  const { staker, number } = query.after ?? (order === 'asc' ? first : last)
  const only = [stakingTxId === undefined ? 0 : 1, stakingTxId ?? new Uint8Array()]
  const rows = await reader.all(questions[order], [node, ...only, staker, number, limit])
  return rows.map(cycleOf)
}

function cycleOf(row: Row): StoredCycle {
  const { outcome, totalDelegatorCount, totalDelegatedWeight, ...body } = cycleBody.fromBytes(
    bytes(row[3]),
  )
  const before = row[4] instanceof Uint8Array ? cycleBody.fromBytes(row[4]) : undefined
  return {
    ...body,
    totalDelegatedWeight,
    staker: Number(row[0]),
    number: Number(row[1]),
    stakingTxId: bytes(row[2]),
    outcome: cycleOutcomes[outcome] ?? 'renewed',
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
  return cycleBody.fromBytes(bytes(row[0]))
}

const settledAfter = statement(
  'select body from cycle where staker = ? and height > ? order by number limit 2',
)

/**
 * What a position was expected to earn in the cycle that the settlement in the block at `height`
 * began; `undefined` when it ended the position, and for the cycle that still runs, which is the
 * staker's own. One range of `cycle`.
 */
export async function expectedAfter(
  reader: Reader,
  { pos, status, potentialReward }: StoredStaker,
  height: number,
): Promise<bigint | undefined> {
  const rows = await reader.all(settledAfter, [pos, height])
  const [settled, next] = rows.map(([body]) => cycleBody.fromBytes(bytes(body)))
  if (settled === undefined || cycleOutcomes[settled.outcome] !== 'renewed') return undefined
  if (next !== undefined) return next.potentialReward
  return status === 'active' ? potentialReward : undefined
}

const running = statement(
  `select ${stakerColumns} from staker s indexed by staker_by_node join node n on n.id = s.node
   where s.node = ? and s.role = 0 and s.status = 1 and (? = 0 or s.tx_id = ?)
   order by s.pos desc`,
  {
    postgres: `select ${stakerColumns} from staker s join node n on n.id = s.node
      where s.node = ? and s.role = 0 and s.status = 1 and (? = 0 or s.tx_id = ?)
      order by s.pos desc`,
  },
)

/** The position of a node that renews itself and runs. One range of `staker_by_node`. */
export async function runningPosition(
  reader: Reader,
  { node, stakingTxId }: Pick<CycleQuery, 'node' | 'stakingTxId'>,
): Promise<StoredStaker | undefined> {
  const only = [stakingTxId === undefined ? 0 : 1, stakingTxId ?? new Uint8Array()]
  const rows = await reader.all(running, [node, ...only])
  return rows.map(stakerOf).find(({ autoRenewal }) => autoRenewal !== undefined)
}

const anyCycle = statement('select 1 from cycle limit 1')

const ofOwners = statement(
  `select ${stakerColumns} from json_each(?) j cross join staker_by_address a
   cross join staker s on s.pos = a.pos join node n on n.id = s.node
   where a.address_id = j.value and s.role = 0 and s.status = 1
     and exists (select 1 from cycle c where c.staker = a.pos)`,
  {
    postgres: `select ${stakerColumns} from json_array_elements_text(?::json) j
      join staker_by_address a on a.address_id = j.value::bigint
      join staker s on s.pos = a.pos join node n on n.id = s.node
      where s.role = 0 and s.status = 1
        and exists (select 1 from cycle c where c.staker = a.pos)`,
  },
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
  const rows = await reader.all(ofOwners, [JSON.stringify(owners)])
  return [...new Map(rows.map((row) => [Number(row[0]), stakerOf(row)])).values()]
}
