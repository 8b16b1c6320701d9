/** History of L1 validations, in order for each. */

import { type Reader, type Statement, statement, type Value } from '../../engine/database.ts'
import { type L1ChangeBody, l1ChangeBody, progressBody } from '../../schema/primary-bodies.ts'
import { blockIdOf, blockOfPos, chainNumbers } from '../../schema/primary-position.ts'
import { bytesAt, textAt } from '../row-values.ts'
import { bytesValue, integerValue, textValue } from '../stored-row.ts'
import { placesBetween } from './moment-in-history.ts'

/** A change, and what one validator active since the first block had paid by then, nAVAX. */
export type L1Step = Pick<
  L1ChangeBody,
  'time' | 'weight' | 'remainingBalance' | 'balanceChange' | 'active'
> & { readonly validation: number; readonly accrued: bigint }

/** Of which validations; all of them when nothing is named. */
export type L1Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'validation' | 'subnet'; readonly id: Uint8Array }
  | { readonly kind: 'node'; readonly node: number }

function question(filter: string): Statement {
  return statement(
    `select c.l1_id, c.body, cast(b.l1_fees as text)
     from l1_validator l join l1_change c on c.l1_id = l.id join block b on b.id = c.height
     where ${filter} order by c.l1_id, c.height, c.pos`,
    { over: 'tables' },
  )
}

const questions = {
  all: question('true'),
  validation: question('l.validation_id = ?'),
  subnet: question('l.subnet_id = ?'),
  node: question('l.node = ?'),
} as const

/** All changes of a scope. Cost: their rows, and a seek of a block for each. */
export async function l1Steps(reader: Reader, scope: L1Scope): Promise<L1Step[]> {
  const values: Value[] =
    scope.kind === 'all' ? [] : [scope.kind === 'node' ? scope.node : scope.id]
  const rows = await reader.all(questions[scope.kind], values)
  return rows.map(([validation, body, fees]) => {
    const { time, weight, remainingBalance, balanceChange, active } = l1ChangeBody.fromBytes(
      bytesValue(body),
    )
    const accrued = fees === null ? 0n : BigInt(textValue(fees))
    const change = { time, weight, remainingBalance, balanceChange, active }
    return { ...change, validation: integerValue(validation), accrued }
  })
}

const newest = statement("select body from progress where chain = 'P'")

/** Chain time, what has accrued by then, and the excess of the fee's price. */
export async function l1Now(
  reader: Reader,
): Promise<{ readonly time: number; readonly accrued: bigint; readonly excess: bigint }> {
  const row = await reader.get(newest)
  if (row === undefined) return { time: 0, accrued: 0n, excess: 0n }
  const { time, l1AccruedFees, l1FeeExcess } = progressBody.fromBytes(bytesAt(row, 0))
  return { time, accrued: l1AccruedFees, excess: l1FeeExcess }
}

const before = statement(
  'select cast(l1_fees as text) from block where id < ? and id >= ? order by id desc limit 1',
  { over: 'tables' },
)

/** Fees accrued at the last block before `moment`. Some 30 seeks. */
export async function accruedBefore(reader: Reader, moment: number): Promise<bigint> {
  const { until } = await placesBetween(reader, 'P', undefined, moment)
  const row = await reader.get(before, [blockOfPos(until), blockIdOf(chainNumbers.P, 0)])
  return row === undefined || row[0] === null ? 0n : BigInt(textAt(row, 0))
}
