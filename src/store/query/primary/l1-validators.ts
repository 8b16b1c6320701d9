/** L1 validations, newest first. */

import { type Reader, type Row, statement, type Statement } from '../../engine/database.ts'
import { type L1ValidatorBody, l1ValidatorBody, progressBody } from '../../schema/primary-bodies.ts'
import { bytes } from './utxo-rows.ts'

/** One stored validation. */
export type StoredL1Validator = L1ValidatorBody & {
  /** Grows with creation. */
  readonly id: number
  readonly validationId: Uint8Array
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  readonly active: boolean
}

/** Which validations. */
export type L1Query = {
  readonly validationId?: Uint8Array
  readonly subnetId?: Uint8Array
  /** Number of a node. */
  readonly node?: number
  /** Those without balance too; those removed only by their own id. */
  readonly includeInactive: boolean
  readonly after: number | undefined
  readonly limit: number
}

const columns = 'l.id, l.validation_id, l.subnet_id, n.bytes, l.active, l.body'

function question(filter: string): Statement {
  return statement(
    `select ${columns} from l1_validator l join node n on n.id = l.node
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
    return rows.map(validatorOf)
  }
  if (subnetId !== undefined && node !== undefined)
    return (await reader.all(questions.subnetNode, [subnetId, node, ...rest])).map(validatorOf)
  if (subnetId !== undefined)
    return (await reader.all(questions.subnet, [subnetId, ...rest])).map(validatorOf)
  if (node !== undefined)
    return (await reader.all(questions.node, [node, ...rest])).map(validatorOf)
  return (await reader.all(questions.all, rest)).map(validatorOf)
}

const number = statement('select id from l1_validator where validation_id = ?')

/** Number of a validation. One seek. */
export async function numberOfValidation(
  reader: Reader,
  validationId: Uint8Array,
): Promise<number | undefined> {
  const row = await reader.get(number, [validationId])
  return row === undefined ? undefined : Number(row[0])
}

const fees = statement("select body from progress where chain = 'P'")

/** Fees L1 validators have accrued, as of the newest block: balances are measured from it. */
export async function accruedFees(reader: Reader): Promise<bigint> {
  const row = await reader.get(fees)
  return row === undefined ? 0n : progressBody.fromBytes(bytes(row[0])).l1AccruedFees
}

function validatorOf(row: Row): StoredL1Validator {
  return {
    ...l1ValidatorBody.fromBytes(bytes(row[5])),
    id: Number(row[0]),
    validationId: bytes(row[1]),
    subnetId: bytes(row[2]),
    nodeId: bytes(row[3]),
    active: row[4] === 1,
  }
}
