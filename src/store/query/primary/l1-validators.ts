/** L1 validations, newest first. */

import { type Reader, statement, type Statement } from '../../engine/database.ts'
import { l1ValidatorBody, progressBody } from '../../schema/primary-bodies.ts'
import { bytesAt, integerAt } from '../row-values.ts'
import { body, bytes, flag, integer, type RowOf, storedRow } from '../stored-row.ts'

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
export type L1Query = {
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
  if (validationId !== undefined) {
    const rows = await reader.all(questions.validation, [validationId, ...rest])
    return rows.map(validatorRow.read)
  }
  if (subnetId !== undefined && node !== undefined)
    return (await reader.all(questions.subnetNode, [subnetId, node, ...rest])).map(
      validatorRow.read,
    )
  if (subnetId !== undefined)
    return (await reader.all(questions.subnet, [subnetId, ...rest])).map(validatorRow.read)
  if (node !== undefined)
    return (await reader.all(questions.node, [node, ...rest])).map(validatorRow.read)
  return (await reader.all(questions.all, rest)).map(validatorRow.read)
}

const number = statement('select id from l1_validator where validation_id = ?')

/** Number of a validation. One seek. */
export async function numberOfValidation(
  reader: Reader,
  validationId: Uint8Array,
): Promise<number | undefined> {
  const row = await reader.get(number, [validationId])
  return row === undefined ? undefined : integerAt(row, 0)
}

const fees = statement("select body from progress where chain = 'P'")

/** Fees L1 validators have accrued, as of the newest block: balances are measured from it. */
export async function accruedFees(reader: Reader): Promise<bigint> {
  const row = await reader.get(fees)
  return row === undefined ? 0n : progressBody.fromBytes(bytesAt(row, 0)).l1AccruedFees
}
