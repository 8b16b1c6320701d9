/**
 * Validations by state, in the orders callers sort by, strictly after a cursor.
 *
 * Order: (sorted column, place), either way; by `blockIndex` the place alone. Cost: one range of
 * the sort's index per state; those a filter drops are passed over in it.
 */

import { keyOf } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { proposalTypes } from '../../../core/type-ids.ts'
import { type Reader, type Statement, type Value, statement } from '../../engine/database.ts'
import {
  cycleBody,
  l1ChangeBody,
  l1ValidatorBody,
  stakerBody,
  rewardBody,
} from '../../schema/primary/bodies.ts'
import {
  stakerStatuses,
  blockIdOf,
  chainNumbers,
  rewardKinds,
} from '../../schema/primary/position.ts'
import { body, bytes, integer, storedRow, bytesValue, worded } from '../stored-row.ts'
import { mergeLists } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './stakers.ts'

/** Columns by which validations can be sorted; by `blockIndex` it is the place alone. */
const sortColumns = {
  blockIndex: undefined,
  delegationCapacity: 'capacity',
  timeRemaining: 'until',
  delegationFee: 'shares',
  uptimePerformance: 'uptime',
} as const

/** Where a page ended. `key` is the sorted column, 0 by `blockIndex`. */
export type ValidatorCursor = { readonly key: bigint; readonly pos: number }

/** Inclusive bounds of a column; where either is given, rows without that quantity are dropped. */
export type Bounds = { readonly min?: bigint | undefined; readonly max?: bigint | undefined }

/** Parameters of the question. */
type ValidatorQuery = {
  readonly statuses: readonly (typeof stakerStatuses)[number][]
  readonly sortBy: keyof typeof sortColumns
  readonly order: 'asc' | 'desc'
  /** Numbers of nodes; absent: all. */
  readonly nodes?: readonly number[] | undefined
  readonly subnetId?: Uint8Array | undefined
  /** Smallest unit. */
  readonly capacity: Bounds
  /** Unix seconds of the end. */
  readonly until: Bounds
  /** Millionths. */
  readonly shares: Bounds
  /** Ten-thousandths of a percent. */
  readonly uptime: Bounds
  readonly after?: ValidatorCursor | undefined
  readonly limit: number
}

/** Few nodes are found faster by their own index than by passing over all others. */
const fewNodes = 32

/** The question of a page, with the conditions that the caller gave. */
function questionOf({ sortBy, order, nodes, subnetId }: ValidatorQuery): Statement {
  const column = sortColumns[sortBy]
  const index = nodes !== undefined && nodes.length <= fewNodes ? 'node' : (column ?? 'status')
  const sorted = column === undefined ? '0' : `s.${column}`
  const place = column === undefined ? 's.pos' : `(s.${column}, s.pos)`
  const cursor = column === undefined ? '?' : '(?, ?)'
  return stakerRow.statement(
    (columns, { list, number, by }) => `select ${sorted}, ${columns}
     from staker s ${by(`staker_by_${index}`)} join node n on n.id = s.node
     where s.role = 0 and s.status = ? and ${place} ${order === 'asc' ? '>' : '<'} ${cursor}
       ${nodes === undefined ? '' : `and s.node in (select ${number} from ${list})`}
       ${subnetId === undefined ? '' : 'and s.subnet_id = ?'}
       and s.capacity between ? and ? and s.until between ? and ?
       and s.shares between ? and ? and s.uptime between ? and ?
     order by ${column === undefined ? '' : `s.${column} ${order}, `}s.pos ${order} limit ?`,
    { bigints: true },
  )
}

/** A validation with its place in the order. */
export type ListedValidator = StoredStaker & { readonly cursor: ValidatorCursor }

/** Validations of the page. */
export async function listValidators(
  reader: Reader,
  query: ValidatorQuery,
): Promise<ListedValidator[]> {
  const { sortBy, order, nodes, subnetId } = query
  const question = questionOf(query)
  const sign = order === 'asc' ? 1 : -1
  const start = query.after ?? (order === 'asc' ? lowest : highest)
  return mergeLists<string, ListedValidator>({
    lists: query.statuses,
    limit: query.limit,
    compare: (a, b) => sign * compareCursors(a.cursor, b.cursor),
    accepts: () => true,
    read: async (status, after, limit) => {
      const { key, pos } = after?.cursor ?? start
      const values: Value[] = [
        stakerStatuses.findIndex((word) => word === status),
        ...(sortBy === 'blockIndex' ? [pos] : [key, pos]),
        ...(nodes === undefined ? [] : [JSON.stringify(nodes)]),
        ...(subnetId === undefined ? [] : [subnetId]),
        ...range(query.capacity, -1n),
        ...range(query.until, 0n),
        ...range(query.shares, -1n),
        ...range(query.uptime, -1n),
        limit,
      ]
      const rows = await reader.all(question, values)
      return rows.map(([sorted, ...row]) => {
        const staker = stakerRow.read(row)
        assert(typeof sorted === 'bigint', 'the sorted column is an integer')
        return { ...staker, cursor: { key: sorted, pos: staker.pos } }
      })
    },
  })
}

/** Greatest integer of both engines. */
const maxInteger = 2n ** 63n - 1n
const lowest: ValidatorCursor = { key: -2n, pos: -1 }
const highest: ValidatorCursor = { key: maxInteger, pos: Number.MAX_SAFE_INTEGER }

/** Values of a `between`: those from `absent` on, which stands for no quantity, where nothing bounds. */
function range({ min, max }: Bounds, absent: bigint): [bigint, bigint] {
  if (min === undefined && max === undefined) return [absent, maxInteger]
  return [min === undefined || min <= absent ? absent + 1n : min, max ?? maxInteger]
}

function compareCursors(a: ValidatorCursor, b: ValidatorCursor): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  return a.pos - b.pos
}

// Validators of a subnet at a height: stakers, and validators of L1s as changes left them.
//
// Heights are those from which nodes show a change in the set: what a proposal's block decides
// shows from its option on.

/** A subnet and a height. No more than `limit` rows are read. */
type SetQuery = { readonly subnetId: Uint8Array; readonly height: number; readonly limit: number }

/** A validation of an L1 as it stood. An inactive one has weight but signs nothing. */
type L1ValidatorAt = {
  readonly nodeId: Uint8Array
  /** Compressed, 48 bytes. */
  readonly publicKey: Uint8Array
  readonly weight: bigint
  readonly active: boolean
}

/** The first cycle of a staker that was settled after a height: what it weighed then. */
const cycleThen = `case when s.role = 0 then
  (select c.body from cycle c where c.staker = s.pos and c.height > ? order by c.number limit 1) end`

const stakers = stakerRow.statement(
  (columns) => `select ${cycleThen}, ${columns} from staker s join node n on n.id = s.node
   where s.subnet_id = ? and s.ended_height is null and s.activated_height <= ?
   union all
   select ${cycleThen}, ${columns} from staker s join node n on n.id = s.node
   where s.subnet_id = ? and s.ended_height > ? and s.activated_height <= ?
   limit ?`,
)

/**
 * Validators and delegators of a subnet at a height, in no order, with the weights they had then;
 * `undefined` beyond the limit. Cost: two ranges of `staker_by_end`, the subnet's periods that
 * ended later or have not, and a seek of `cycle` for each validator.
 */
export async function stakersAt(
  reader: Reader,
  { subnetId, height, limit }: SetQuery,
): Promise<StoredStaker[] | undefined> {
  const ended = [height, subnetId, height, height]
  const rows = await reader.all(stakers, [height, subnetId, height, ...ended, limit + 1])
  // Each has the weight of the cycle it was in then, also where that is over.
  return rows.length > limit
    ? undefined
    : rows.map(([then, ...row]) => {
        const staker = stakerRow.read(row)
        if (!(then instanceof Uint8Array)) return staker
        return { ...staker, weight: cycleBody.fromBytes(then).weight }
      })
}

const stakeChanges = stakerRow.statement(
  (
    columns,
  ) => `select ${cycleThen}, ${cycleThen}, ${columns} from staker s join node n on n.id = s.node
   where s.subnet_id = ? and s.activated_height > ? and s.activated_height <= ?
   union all
   select ${cycleThen}, ${cycleThen}, ${columns} from staker s join node n on n.id = s.node
   where s.subnet_id = ? and s.ended_height > ? and s.ended_height <= ? and s.activated_height <= ?
   union all
   select ${cycleThen}, ${cycleThen}, ${columns} from cycle k
   cross join staker s join node n on n.id = s.node
   where k.height > ? and k.height <= ? and s.pos = k.staker and s.subnet_id = ? and s.activated_height <= ?
   and (s.ended_height is null or s.ended_height > ?)`,
)

/** Weight of a stake that a node got, or lost where it is below 0. */
type WeightChange = Pick<StoredStaker, 'node' | 'nodeId' | 'weight'>

/**
 * Changes that lead from the set of a subnet's stakers after block `after` to that after `height`, in no order. Cost: the
 * periods that began, ended or renewed themselves in between, by an index each.
 */
export async function weightChanges(
  reader: Reader,
  { subnetId, after, height }: Omit<SetQuery, 'limit'> & { readonly after: number },
): Promise<WeightChange[]> {
  const begun = [after, height, subnetId, after, height]
  const ended = [after, height, subnetId, after, height, after]
  const renewed = [after, height, after, height, subnetId, after, height]
  const rows = await reader.all(stakeChanges, [...begun, ...ended, ...renewed])
  // A stake that several cycles of settled in between comes once for each.
  const seen = new Set<number>()
  return rows.flatMap(([before, now, ...row]) => {
    const staker = stakerRow.read(row)
    if (seen.has(staker.pos)) return []
    seen.add(staker.pos)
    const weight = weightIn(staker, height, now) - weightIn(staker, after, before)
    return weight === 0n ? [] : [{ node: staker.node, nodeId: staker.nodeId, weight }]
  })
}

/** Weight of a staker after a block; `cycle` is the first that was settled later. */
function weightIn(staker: StoredStaker, height: number, cycle: Value | undefined): bigint {
  const { activatedHeight = Infinity, endedHeight = Infinity } = staker
  if (activatedHeight > height || endedHeight <= height) return 0n
  return cycle instanceof Uint8Array ? cycleBody.fromBytes(cycle).weight : staker.weight
}

const blockType = statement('select type from primary_block where id = ?', { over: 'tables' })
const proposals: ReadonlySet<number> = new Set(proposalTypes)

const l1Row = storedRow({
  id: integer('l.id'),
  nodeId: bytes('n.bytes'),
  validation: body('l.body', l1ValidatorBody),
  change: body('c.body', l1ChangeBody),
})

const l1Validators = l1Row.statement(
  (columns) => `select ${columns} from l1_validator l join node n on n.id = l.node
   join l1_change c on c.l1_id = l.id and c.height =
     (select max(d.height) from l1_change d where d.l1_id = l.id and d.height <= ?)
   where l.subnet_id = ? and (l.removed_height is null or l.removed_height > ?)
   order by l.id, c.pos limit ?`,
)

/**
 * Validations of an L1 at a height, in order of creation; those with weight 0 are none.
 *
 * `undefined` beyond the limit, and where the height is not indexed. Cost: one seek of `l1_change`
 * for each validation not removed by then.
 */
export async function l1ValidatorsAt(
  reader: Reader,
  { subnetId, height, limit }: SetQuery,
): Promise<L1ValidatorAt[] | undefined> {
  const type = await reader.get(blockType, [blockIdOf(chainNumbers.P, height)])
  // Height 0 is genesis, which has no block and no L1s.
  if (type === undefined) return height === 0 ? [] : undefined
  const last = proposals.has(type[0]) ? height - 1 : height
  const rows = await reader.all(l1Validators, [last, subnetId, height, limit + 1])
  if (rows.length > limit) return undefined
  const found = new Map<number, L1ValidatorAt>()
  // The last change of a block is what stands.
  for (const { id, nodeId, validation, change } of rows.map(l1Row.read)) {
    const { weight, active } = change
    found.set(id, { nodeId, publicKey: validation.publicKey, weight, active })
  }
  return [...found.values()].filter(({ weight }) => weight > 0n)
}

const totalWeightQuestion = statement(
  'select subnet_id, body from staker where role in (0, 1) and status = 1',
)

/**
 * Sum of weights of active validators and delegators by `keyOf` the subnet. Reads every active
 * staker: some ten thousand rows on mainnet, so callers keep the answer for a while.
 */
export async function totalWeights(reader: Reader): Promise<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>()
  for (const [subnetId, body] of await reader.all(totalWeightQuestion)) {
    const key = keyOf(subnetId)
    sums.set(key, (sums.get(key) ?? 0n) + stakerBody.fromBytes(body).weight)
  }
  return sums
}

const delegationFeesQuestion = worded(
  ({ list, bytes: txId, by }) => `select d.validator_tx, r.body from ${list}
   cross join staker d ${by('staker_by_validator')} join reward r on r.staker_tx = d.tx_id
   where d.validator_tx = ${txId} and d.validator_tx is not null`,
  { over: undefined },
)

/** Such fees of validations; one range of `staker_by_validator` each, one seek per delegation. */
export async function delegationFeesPaid(
  reader: Reader,
  validatorTxIds: readonly Uint8Array[],
): Promise<{ readonly validatorTxId: Uint8Array; readonly amount: bigint }[]> {
  if (validatorTxIds.length === 0) return []
  const texts = validatorTxIds.map((id) => Buffer.from(id).toString('hex'))
  const rows = await reader.all(delegationFeesQuestion, [JSON.stringify(texts)])
  return rows.flatMap(([validatorTx, body]) => {
    const { kind, amount } = rewardBody.fromBytes(bytesValue(body))
    if (rewardKinds[kind] !== 'VALIDATOR_FEE') return []
    return [{ validatorTxId: bytesValue(validatorTx), amount }]
  })
}
