/** Validations of L1s: the newest, those not removed, changes and history. */

import { type Reader, statement, type Statement, type Value } from '../../engine/database.ts'
import {
  l1ValidatorBody,
  progressBody,
  l1ChangeBody,
  type L1ChangeBody,
} from '../../schema/primary/bodies.ts'
import { blockIdOf, blockOfPos, chainNumbers } from '../../schema/primary/position.ts'
import { body, bytes, flag, integer, type RowOf, storedRow, mapped } from '../stored-row.ts'
import { mergeLists } from './merged-lists.ts'
import { placesBetween } from './network.ts'
import { stakerRow, type StoredStaker } from './stakers.ts'

/** A validation `l` of the node `n`. */
const validatorRow = storedRow(
  {
    /** Grows with creation. */
    id: integer('l.id'),
    validationId: bytes('l.validation_id'),
    subnetId: bytes('l.subnet_id'),
    nodeId: bytes('n.bytes'),
    active: flag('l.active'),
  },
  body('l.body', l1ValidatorBody),
)
/** One stored validation. */
export type StoredL1Validator = RowOf<typeof validatorRow>

/** Conditions of validations. */
type L1Query = {
  readonly validationId?: Uint8Array | undefined
  readonly subnetId?: Uint8Array | undefined
  /** Number of a node. */
  readonly node?: number | undefined
  /** Includes validations without a balance; removed ones are found by their own id only. */
  readonly includeInactive: boolean
  readonly after: number | undefined
  readonly limit: number
}

function question(filter: string): Statement {
  return validatorRow.statement(
    (columns) => `select ${columns} from l1_validator l join node n on n.id = l.node
     where ${filter} l.id < ? and (? = 1 or l.active = 1) and (? = 1 or l.removed_height is null)
     order by l.id desc limit ?`,
  )
}

const questions = {
  all: question(''),
  validation: question('l.validation_id = ? and'),
  subnet: question('l.subnet_id = ? and'),
  node: question('l.node = ? and'),
  subnetNode: question('l.subnet_id = ? and l.node = ? and'),
} as const

/** Validations of the page. One range of the key or of the filter's index. */
export async function listL1Validators(
  reader: Reader,
  query: L1Query,
): Promise<StoredL1Validator[]> {
  const { validationId, subnetId, node } = query
  const rest = [
    query.after ?? Number.MAX_SAFE_INTEGER,
    query.includeInactive || validationId !== undefined ? 1 : 0,
    validationId === undefined ? 0 : 1,
    query.limit,
  ]
  if (validationId !== undefined)
    return validatorRow.all(reader, questions.validation, [validationId, ...rest])
  if (subnetId !== undefined && node !== undefined)
    return validatorRow.all(reader, questions.subnetNode, [subnetId, node, ...rest])
  if (subnetId !== undefined) return validatorRow.all(reader, questions.subnet, [subnetId, ...rest])
  if (node !== undefined) return validatorRow.all(reader, questions.node, [node, ...rest])
  return validatorRow.all(reader, questions.all, rest)
}

const number = statement('select id from l1_validator where validation_id = ?')

/** Number of a validation. One seek. */
export async function numberOfValidation(
  reader: Reader,
  validationId: Uint8Array,
): Promise<number | undefined> {
  return (await reader.get(number, [validationId]))?.[0]
}

const fees = statement("select body from progress where chain = 'P'")

/** Fees L1 validators have accrued, as of the newest block: balances are measured from it. */
export async function accruedFees(reader: Reader): Promise<bigint> {
  const row = await reader.get(fees)
  return row === undefined ? 0n : progressBody.fromBytes(row[0]).l1AccruedFees
}

/** A validation `l` of the node `n`. */
const validationRow = storedRow({
  /** Grows with creation. */
  id: integer('l.id'),
  validationId: bytes('l.validation_id'),
  subnetId: bytes('l.subnet_id'),
  nodeId: bytes('n.bytes'),
  validation: body('l.body', l1ValidatorBody),
})

/** One validation. `balanceEnd` is what must have accrued for its balance to be used up; 0: inactive. */
export type L1Validation = Omit<RowOf<typeof validationRow>, 'validation'> & {
  readonly weight: bigint
  readonly balanceEnd: bigint
}

const everyValidation = validationRow.statement(
  (columns) => `select ${columns}
   from l1_validator l join node n on n.id = l.node where l.removed_height is null`,
)

/** Every validation of the network: some thousands on mainnet, so callers keep the answer. */
export async function l1Validations(reader: Reader): Promise<readonly L1Validation[]> {
  const rows = await reader.all(everyValidation)
  return rows.map((row) => {
    const { validation, ...rest } = validationRow.read(row)
    return { ...rest, weight: validation.weight, balanceEnd: validation.endAccumulatedFee }
  })
}

/** A change `c` with the validation `l` it is about, and its node `n`. */
const changeRow = storedRow(
  {
    pos: integer('c.pos'),
    validationId: bytes('l.validation_id'),
    subnetId: bytes('l.subnet_id'),
    nodeId: bytes('n.bytes'),
    publicKey: mapped(body('l.body', l1ValidatorBody), ({ publicKey }) => publicKey),
  },
  body('c.body', l1ChangeBody),
)
/** One such change. */
export type StoredL1Change = RowOf<typeof changeRow>

const atPlaces = changeRow.statement(
  (columns, { list, number, by }) => `select ${columns} from ${list}
   cross join l1_change c ${by('l1_change_by_pos')}
   join l1_validator l on l.id = c.l1_id join node n on n.id = l.node
   where c.pos = ${number} and c.pos >= 0 order by c.pos, c.l1_id`,
)

/** Changes by the transactions at `places`. One seek of `l1_change_by_pos` each. */
export async function l1ChangesAt(
  reader: Reader,
  places: readonly number[],
): Promise<StoredL1Change[]> {
  if (places.length === 0) return []
  return changeRow.all(reader, atPlaces, [JSON.stringify(places)])
}

/** A change, and what one validator active since the first block had paid by then, nAVAX. */
export type L1Step = Pick<
  L1ChangeBody,
  'time' | 'weight' | 'remainingBalance' | 'balanceChange' | 'active'
> & { readonly validation: number; readonly accrued: bigint }

/** A change of one validation, with its place among them. */
const ownChangeRow = storedRow(
  { height: integer('c.height'), pos: integer('c.pos') },
  body('c.body', l1ChangeBody),
)
/** One such change. */
export type StoredOwnChange = RowOf<typeof ownChangeRow>

const ownChanges = ownChangeRow.statement(
  (columns) => `select ${columns} from l1_change c
   where c.l1_id = ? and (c.height < ? or (c.height = ? and c.pos < ?))
   order by c.height desc, c.pos desc limit ?`,
)

/** Changes of a validation before a place, newest first. One range of the key. */
export async function changesOfValidation(
  reader: Reader,
  query: {
    readonly number: number
    readonly before: Pick<StoredOwnChange, 'height' | 'pos'> | undefined
    readonly limit: number
  },
): Promise<StoredOwnChange[]> {
  const last = Number.MAX_SAFE_INTEGER
  const { height, pos } = query.before ?? { height: last, pos: last }
  return ownChangeRow.all(reader, ownChanges, [query.number, height, height, pos, query.limit])
}

/** Of which validations; all of them when nothing is named. */
export type L1Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'validation' | 'subnet'; readonly id: Uint8Array }
  | { readonly kind: 'node'; readonly node: number }

function l1HistoryQuestion(
  filter: string,
): Statement<readonly [number, Uint8Array, string | null]> {
  return statement(
    `select c.l1_id, c.body, cast(b.l1_fees as text)
     from l1_validator l join l1_change c on c.l1_id = l.id join primary_block b on b.id = c.height
     where ${filter} order by c.l1_id, c.height, c.pos`,
    { over: 'tables' },
  )
}

const l1HistoryQuestions = {
  all: l1HistoryQuestion('true'),
  validation: l1HistoryQuestion('l.validation_id = ?'),
  subnet: l1HistoryQuestion('l.subnet_id = ?'),
  node: l1HistoryQuestion('l.node = ?'),
} as const

/** All changes of a scope. Cost: their rows, and a seek of a block for each. */
export async function l1Steps(reader: Reader, scope: L1Scope): Promise<L1Step[]> {
  const values: Value[] =
    scope.kind === 'all' ? [] : [scope.kind === 'node' ? scope.node : scope.id]
  const rows = await reader.all(l1HistoryQuestions[scope.kind], values)
  return rows.map(([validation, body, fees]) => {
    const { time, weight, remainingBalance, balanceChange, active } = l1ChangeBody.fromBytes(body)
    const accrued = BigInt(fees ?? 0)
    const change = { time, weight, remainingBalance, balanceChange, active }
    return { ...change, validation, accrued }
  })
}

const newest = statement("select body from progress where chain = 'P'")

/** Chain time, what has accrued by then, and the excess of the fee's price. */
export async function l1Now(
  reader: Reader,
): Promise<{ readonly time: number; readonly accrued: bigint; readonly excess: bigint }> {
  const row = await reader.get(newest)
  if (row === undefined) return { time: 0, accrued: 0n, excess: 0n }
  const { time, l1AccruedFees, l1FeeExcess } = progressBody.fromBytes(row[0])
  return { time, accrued: l1AccruedFees, excess: l1FeeExcess }
}

const before = statement(
  'select cast(l1_fees as text) from primary_block where id < ? and id >= ? order by id desc limit 1',
  { over: 'tables' },
)

/** Fees accrued at the last block before `moment`. Some 30 seeks. */
export async function accruedBefore(reader: Reader, moment: number): Promise<bigint> {
  const { until } = await placesBetween(reader, 'P', undefined, moment)
  const row = await reader.get(before, [blockOfPos(until), blockIdOf(chainNumbers.P, 0)])
  return BigInt(row?.[0] ?? 0n)
}

const allStatuses = [0, 1, 2, 3]

const validationsBetweenQuestion = stakerRow.statement(
  (columns) => `select ${columns} from staker s join node n on n.id = s.node
   where s.role = 0 and s.status = ? and s.subnet_id = ? and s.pos < ?
   order by s.pos desc limit ?`,
)

/** Conditions of validations, newest first. Times in Unix seconds. */
type BetweenQuery = {
  readonly subnetId: Uint8Array
  readonly start: number
  readonly end: number
  readonly before: number | undefined
  readonly limit: number
}

/** One range of `staker_by_status` per state; other subnets and times are passed over. */
export function validationsBetween(reader: Reader, query: BetweenQuery): Promise<StoredStaker[]> {
  const { subnetId, start, end, limit } = query
  return mergeLists<number, StoredStaker>({
    lists: allStatuses,
    limit,
    compare: (a, b) => b.pos - a.pos,
    accepts: ({ startTime, endTime, endedTime }) =>
      startTime < end && (endedTime ?? endTime) > start,
    read: async (status, after, most) => {
      const from = after?.pos ?? query.before ?? Number.MAX_SAFE_INTEGER
      return stakerRow.all(reader, validationsBetweenQuestion, [status, subnetId, from, most])
    },
  })
}
