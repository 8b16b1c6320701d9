/** Values and conditions of parsed statements as functions of the rows that are bound. */

import { concatBytes, toHex } from '../../core/bytes.ts'
import { assert, Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import type { Value } from '../engine/database.ts'
import type { Comparison, Condition, Expression } from './parse-statement.ts'

/** A row of a table; `undefined` where a left join found none. */
export type Cells = { readonly cell: (column: number) => Value } | undefined

/** A row of each table of a statement, in the order of `from`, as far as they are found. */
export type Bound = readonly Cells[]

/** A value of bound rows and parameters. */
export type Get = (bound: Bound, parameters: readonly Value[]) => Value
/** A condition of bound rows and parameters; what is unknown for a NULL does not hold. */
export type Test = (bound: Bound, parameters: readonly Value[]) => boolean

/** Place of a table in `from`, and of a column in its rows. */
export type FindColumn = (
  alias: string | undefined,
  name: string,
) => { readonly source: number; readonly column: number }

/** The function of an expression. Throws `store-failed` for a function that is not known. */
export function valueOf(expression: Expression, find: FindColumn): Get {
  switch (expression.kind) {
    case 'column': {
      const { source, column } = find(expression.alias, expression.name)
      return (bound) => bound[source]?.cell(column) ?? null
    }
    case 'literal': {
      const { value } = expression
      return () => value
    }
    case 'parameter': {
      const { at } = expression
      return (_, parameters) => itemAt(parameters, at)
    }
    case 'unless-null': {
      const test = valueOf(expression.test, find)
      const otherwise = valueOf(expression.otherwise, find)
      return (bound, parameters) =>
        test(bound, parameters) === null ? null : otherwise(bound, parameters)
    }
    case 'binary': {
      const left = valueOf(expression.left, find)
      const right = valueOf(expression.right, find)
      const apply = operators[expression.operator]
      return (bound, parameters) => {
        const one = left(bound, parameters)
        const other = right(bound, parameters)
        return one === null || other === null ? null : apply(one, other)
      }
    }
    case 'call':
      return callOf(expression, find)
  }
}

function callOf({ name, of }: Extract<Expression, { kind: 'call' }>, find: FindColumn): Get {
  const values = of.map((each) => valueOf(each, find))
  const [first] = values
  if (name === 'coalesce')
    return (bound, parameters) => {
      for (const value of values) {
        const found = value(bound, parameters)
        if (found !== null) return found
      }
      return null
    }
  if (name === 'hex' && first !== undefined)
    return (bound, parameters) => {
      const value = first(bound, parameters)
      // Like SQLite, for which NULL has no digits.
      return value === null ? '' : toHex(bytesOf(value)).toUpperCase()
    }
  if (name === 'lower' && first !== undefined)
    return (bound, parameters) => {
      const value = first(bound, parameters)
      return typeof value === 'string' ? value.toLowerCase() : value
    }
  throw new Fault('store-failed', `segments do not know this function: ${name}`)
}

const operators = {
  '+': (one: Value, other: Value) => Number(one) + Number(other),
  '-': (one: Value, other: Value) => Number(one) - Number(other),
  '*': (one: Value, other: Value) => Number(one) * Number(other),
  '/': (one: Value, other: Value) => Math.trunc(Number(one) / Number(other)),
  '%': (one: Value, other: Value) => Number(one) % Number(other),
  '||': (one: Value, other: Value) =>
    one instanceof Uint8Array ? concatBytes(one, bytesOf(other)) : String(one) + String(other),
}

function bytesOf(value: Value): Uint8Array {
  assert(value instanceof Uint8Array, 'the statement has bytes here')
  return value
}

/** The function of a condition. */
export function testOf(condition: Condition, find: FindColumn): Test {
  if (condition.kind === 'null') {
    const value = valueOf(condition.value, find)
    return (bound, parameters) => (value(bound, parameters) === null) === condition.isNull
  }
  if (condition.kind === 'in') {
    const value = valueOf(condition.value, find)
    const list = condition.list.map((each) => valueOf(each, find))
    return (bound, parameters) => {
      const found = value(bound, parameters)
      return list.some((each) => compareValues(found, each(bound, parameters)) === 0)
    }
  }
  const left = valueOf(condition.left, find)
  const right = valueOf(condition.right, find)
  const holds = comparisons[condition.operator]
  return (bound, parameters) => {
    const order = compareValues(left(bound, parameters), right(bound, parameters))
    return order !== undefined && holds(order)
  }
}

const comparisons: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/** Order of two values of one kind; `undefined` with a NULL. */
export function compareValues(one: Value, other: Value): number | undefined {
  if (one === null || other === null) return undefined
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other)
  if (typeof one === 'string' && typeof other === 'string')
    return one < other ? -1 : Number(one > other)
  return Number(one) - Number(other)
}
