/**
 * Plans by which segments answer a statement.
 *
 * One table of the statement is its history: the first one that freezes. It is walked by a range of
 * its key, newest or oldest first, and the other tables are joined to each of its rows by key. What
 * the engines are asked is the same statement; it selects besides where in history each row is.
 */

import { assert, Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Statement, statement } from '../engine/database.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../engine/table.ts'
import { type FindColumn, type Get, type Test, testOf, valueOf } from './expressions.ts'
import { type FrozenShape, placeColumn, shapesOf } from './frozen-shape.ts'
import {
  type Condition,
  type Expression,
  type FromTable,
  parseStatement,
  type ParsedStatement,
  tablesNamed,
} from './parse-statement.ts'
import { amountColumns } from './running-amounts.ts'

/** A bound of a range: `isStrict`, the value itself is outside. */
export type Bound = { readonly value: Get; readonly isStrict: boolean }

/** The way to rows of a table: equal first columns of a key, and a range of the next one. */
export type Path = {
  readonly shape: FrozenShape
  readonly equal: readonly Get[]
  readonly low: readonly Bound[]
  readonly high: readonly Bound[]
  /** Place of the column of history among those of the shape's key; its length where it is behind. */
  readonly placeAt: number
}

/** A table of a statement. */
export type Source = {
  /** Absent: the list in a parameter. */
  readonly table?: Table
  readonly list?: Get
  readonly isLeft: boolean
  /** Of a table that freezes. */
  readonly path?: Path
  /** Values of the whole key, where conditions give them all. */
  readonly key?: readonly Get[]
  /** Conditions that must hold once this table's row is found. */
  readonly tests: readonly Test[]
}

/** Summary of all rows of a statement, where these are not the answer themselves. */
export type Summary = {
  readonly kind: 'sum' | 'min' | 'max' | 'same'
  /** `coalesce(sum(…), 0)`. */
  readonly isZeroForNone: boolean
}

/** Plan for the answer to a statement. */
export type Plan = {
  readonly sources: readonly Source[]
  /** Place of the table of history in `sources`. */
  readonly history: number
  /** The stage whose segments hold the table of history. */
  readonly stage: HistoryStage
  /** Of the table of history: its column that says where in history a row is. */
  readonly place: Get
  /** Places of a column of heights are heights. */
  readonly isByHeight: boolean
  readonly selected: readonly Get[]
  readonly order: readonly { readonly value: Get; readonly isDescending: boolean }[]
  readonly limit: Get | undefined
  /**
   * `newest`, `oldest`: in the order of history. `key`: each segment has its answers in the order that
   * is asked for. `any`: what is found is sorted, where it must be.
   */
  readonly walk: 'newest' | 'oldest' | 'key' | 'any'
  readonly isDistinct: boolean
  readonly summaries: readonly Summary[] | undefined
  /** Only the least and greatest place in history are asked for. */
  readonly isEnds: boolean
  /** Where the amounts of the table of history run: what of an answer is one. */
  readonly running: RunningAnswer | undefined
  /** The key of a table of history that has firsts: of several rows with the same the oldest counts. */
  readonly firstOf: readonly Get[] | undefined
  /**
   * The question for the engines: its rows have the columns of `order` and the place besides, and of a
   * table that does not freeze `whole` all of its columns.
   */
  readonly rows: Statement
}

/** The table whose amounts run, and the places of sizes and signs among what is selected. */
export type RunningAnswer = {
  readonly table: Table
  readonly values: readonly number[]
  readonly negatives: readonly number[]
}

/** Tables of a store: all of them, and which of them freeze. */
export type PlannedTables = {
  readonly all: ReadonlyMap<string, Table>
  readonly freezing: ReadonlySet<string>
}

/**
 * The plan of a statement; `undefined` where it asks no table that freezes. Throws `store-failed`
 * where segments cannot answer it.
 */
export function planOf(question: Statement, tables: PlannedTables): Plan | undefined {
  if (!tablesNamed(question.sqlite).some((name) => tables.freezing.has(name))) return undefined
  try {
    return new Planner(question, tables).plan()
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined || fault.message.includes(question.sqlite)) throw error
    throw new Fault('store-failed', `${fault.message}, in: ${question.sqlite}`, { cause: error })
  }
}

class Planner {
  readonly #question: Statement
  readonly #parsed: ParsedStatement
  readonly #tables: readonly (Table | undefined)[]
  readonly #freezing: ReadonlySet<string>
  readonly #find: FindColumn

  constructor(question: Statement, { all, freezing }: PlannedTables) {
    this.#question = question
    this.#freezing = freezing
    this.#parsed = parseStatement(question.sqlite)
    const { from } = this.#parsed
    this.#tables = from.map(({ table, list }) => {
      const known = all.get(table)
      if (known === undefined && list === undefined) throw this.#refusal(`table ${table}`)
      return known
    })
    this.#find = (alias, name) => {
      for (const [source, each] of from.entries()) {
        if (alias !== undefined && each.alias !== alias) continue
        const table = this.#tables[source]
        const column =
          table === undefined ? ['value'].indexOf(name) : columnNames(table).indexOf(name)
        if (column !== -1) return { source, column }
      }
      throw this.#refusal(`column ${alias ?? ''}.${name}`)
    }
  }

  plan(): Plan {
    const { from, selected, orderBy, limit, isDistinct } = this.#parsed
    const history = this.#tables.findIndex((table) => this.#freezes(table))
    const table = itemAt(this.#tables, history)
    const stage = table === undefined ? undefined : stageOf(table)
    assert(table !== undefined && stage !== undefined, 'a table that freezes is declared')
    const name = placeColumn(table)
    const place: Expression = { kind: 'column', alias: itemAt(from, history).alias, name }
    const sources = from.map((each, at) => this.#source(each, at))
    const summaries = this.#summaries()
    const inner = summaries === undefined ? selected : selected.map(summarized)
    const running = table.freezes === 'running' ? this.#running(table, history, inner) : undefined
    return {
      sources,
      history,
      stage,
      place: valueOf(place, this.#find),
      isByHeight: name !== 'pos',
      selected: inner.map((each) => valueOf(each, this.#find)),
      order: orderBy.map(({ by, isDescending }) => ({
        value: valueOf(by, this.#find),
        isDescending,
      })),
      limit: limit === undefined ? undefined : valueOf(limit, this.#find),
      walk: this.#walk(history, itemAt(sources, history)),
      isDistinct,
      summaries,
      isEnds: this.#isEnds(summaries, name),
      running,
      firstOf: table.freezes === 'firsts' ? this.#key(table, history) : undefined,
      rows: this.#rows(
        [place, ...(table.freezes === 'whole' ? [] : this.#columnsOf(table, history))],
        summaries === undefined ? undefined : inner,
      ),
    }
  }

  #key(table: Table, history: number): Get[] {
    const columns = this.#columnsOf(table, history).slice(0, table.key.length)
    return columns.map((column) => valueOf(column, this.#find))
  }

  #columnsOf(table: Table, source: number): Expression[] {
    const { alias } = itemAt(this.#parsed.from, source)
    return columnNames(table).map((name) => ({ kind: 'column', alias, name }))
  }

  /** Amounts that run are selected, and nothing else is done with them: engines know parts of them. */
  #running(table: Table, history: number, selected: readonly Expression[]): RunningAnswer {
    const { where, from, groupBy, orderBy, isDistinct } = this.#parsed
    const isAmount = (name: string) => (one: Expression) =>
      one.kind === 'column' && one.name === name && this.#find(one.alias, name).source === history
    const [values, negatives] = amountColumns.map((name) =>
      selected.flatMap((each, at) => (isAmount(name)(each) ? [at] : [])),
    )
    assert(values !== undefined && negatives !== undefined, 'an amount has two columns')
    const conditions = [...where, ...from.flatMap(({ on }) => on)]
    const others = [
      ...conditions.flatMap(expressionsOf),
      ...orderBy.map(({ by }) => by),
      ...selected.filter((_, at) => !values.includes(at) && !negatives.includes(at)),
    ]
    const isUsed = others.some((each) => amountColumns.some((name) => names(each, name)))
    if (history > 0 || groupBy.length > 0 || isDistinct || isUsed)
      throw this.#refusal(`amounts of ${table.name} that run`)
    return { table, values, negatives }
  }

  #freezes(table: Table | undefined): boolean {
    return table !== undefined && this.#freezing.has(table.name)
  }

  #walk(history: number, { path }: Source): Plan['walk'] {
    const [first] = this.#parsed.orderBy
    if (first === undefined || path === undefined || history > 0 || this.#parsed.groupBy.length > 0)
      return 'any'
    const { by, isDescending } = first
    const table = itemAt(this.#tables, history)
    if (this.#tables.length === 1 && path.equal.length < path.placeAt && this.#isByKey(path))
      return 'key'
    if (by.kind !== 'column' || table === undefined || by.name !== placeColumn(table)) return 'any'
    const isOwn = this.#find(by.alias, by.name).source === history
    // Equal first columns of the key: its rows lie in the order of history.
    const isInOrder = path.equal.length >= path.placeAt
    if (!isOwn || !isInOrder) return 'any'
    return isDescending ? 'newest' : 'oldest'
  }

  /** The order is that of the columns of the key behind those that are equal. */
  #isByKey({ shape, equal }: Path): boolean {
    const { orderBy } = this.#parsed
    return orderBy.every(({ by, isDescending }, at) => {
      const name = shape.columns[equal.length + at]
      return by.kind === 'column' && by.name === name && !isDescending
    })
  }

  #source({ isLeft, on, list }: FromTable, at: number): Source {
    const table = this.#tables[at]
    const where = this.#parsed.where.filter((each) => this.#lastOf(each) === at)
    if (isLeft && where.length > 0) throw this.#refusal('conditions of a left join')
    const all = [...where, ...on]
    const tests = all.map((each) => testOf(each, this.#find))
    if (list !== undefined) return { isLeft, tests, list: valueOf(list, this.#find) }
    assert(table !== undefined, 'what is no list is a table')
    const key = table.key.map((name) => this.#equal(all, at, name))
    const whole = key.filter((value) => value !== undefined)
    return {
      table,
      isLeft,
      tests,
      ...(whole.length === key.length ? { key: whole } : {}),
      ...(this.#freezes(table) ? { path: this.#path(table, all, at) } : {}),
    }
  }

  #path(table: Table, conditions: readonly Condition[], at: number): Path {
    const paths = shapesOf(table).map((shape) => this.#pathBy(shape, conditions, at))
    const [own] = paths
    assert(own !== undefined, 'a table has its own order')
    const isOwn = own.equal.length + own.low.length + own.high.length > 0
    return isOwn ? own : (paths.find(({ equal }) => equal.length > 0) ?? own)
  }

  #pathBy(shape: FrozenShape, conditions: readonly Condition[], at: number): Path {
    const key = shape.columns.slice(0, shape.keyLength)
    const equal: Get[] = []
    for (const name of key) {
      const value = this.#equal(conditions, at, name)
      if (value === undefined) break
      equal.push(value)
    }
    const next = key[equal.length]
    const low: Bound[] = []
    const high: Bound[] = []
    for (const condition of conditions) {
      const side = next === undefined ? undefined : this.#sideOf(condition, at, next)
      if (side === undefined) continue
      const bound = { value: valueOf(side.value, this.#find), isStrict: side.sign.length === 1 }
      if (side.sign.startsWith('>')) low.push(bound)
      if (side.sign.startsWith('<')) high.push(bound)
    }
    return { shape, equal, low, high, placeAt: key.length - (shape.freezes === 'firsts' ? 0 : 1) }
  }

  #equal(conditions: readonly Condition[], at: number, name: string): Get | undefined {
    for (const condition of conditions) {
      const side = this.#sideOf(condition, at, name)
      if (side?.sign === '=') return valueOf(side.value, this.#find)
    }
    return undefined
  }

  /** Value of column `name` of table `at` that a condition takes from tables before it. */
  #sideOf(
    condition: Condition,
    at: number,
    name: string,
  ): { readonly sign: string; readonly value: Expression } | undefined {
    if (condition.kind !== 'compare') return undefined
    const { left, right, operator } = condition
    const isColumn = (one: Expression): boolean =>
      one.kind === 'column' && one.name === name && this.#find(one.alias, one.name).source === at
    if (isColumn(left) && this.#lastIn(right) < at) return { sign: operator, value: right }
    if (isColumn(right) && this.#lastIn(left) < at)
      return { sign: turned[operator] ?? operator, value: left }
    return undefined
  }

  /** Last table that a condition names; the first one where it names none. */
  #lastOf(condition: Condition): number {
    return Math.max(0, ...expressionsOf(condition).map((part) => this.#lastIn(part)))
  }

  #lastIn(expression: Expression): number {
    switch (expression.kind) {
      case 'column':
        return this.#find(expression.alias, expression.name).source
      case 'binary':
        return Math.max(this.#lastIn(expression.left), this.#lastIn(expression.right))
      case 'call':
        return Math.max(-1, ...expression.of.map((each) => this.#lastIn(each)))
      case 'unless-null':
        return Math.max(this.#lastIn(expression.test), this.#lastIn(expression.otherwise))
      case 'literal':
      case 'parameter':
        return -1
    }
  }

  #summaries(): Summary[] | undefined {
    const { selected, groupBy, orderBy, limit } = this.#parsed
    const found = selected.map(summaryOf)
    if (found.every(({ kind }) => kind === 'same')) {
      if (groupBy.length > 0) throw this.#refusal('group by')
      return undefined
    }
    if (orderBy.length > 0 || limit !== undefined) throw this.#refusal('order of sums')
    return found
  }

  #isEnds(summaries: readonly Summary[] | undefined, name: string): boolean {
    const { selected, where, from, groupBy } = this.#parsed
    return (
      summaries !== undefined &&
      where.length + groupBy.length === 0 &&
      from.length === 1 &&
      summaries.every(({ kind }) => kind === 'min' || kind === 'max') &&
      selected.map(summarized).every((each) => each.kind === 'column' && each.name === name)
    )
  }

  /** The statement with more columns; without its sums, with the columns that are summed. */
  #rows(more: readonly Expression[], summed: readonly Expression[] | undefined): Statement {
    const added = [...this.#parsed.orderBy.map(({ by }) => by), ...more].map((each) =>
      this.#text(each),
    )
    const change = (text: string): string => {
      const at = text.search(/\sfrom\s/i)
      const rest = text.slice(at)
      if (summed === undefined) return `${text.slice(0, at)}, ${added.join(', ')}${rest}`
      const columns = summed.map((each) => this.#text(each))
      return `select ${[...columns, ...added].join(', ')}${rest.replace(/\sgroup by[\s\S]*$/i, '')}`
    }
    const { sqlite, postgres, bigints } = this.#question
    return statement(change(sqlite), { postgres: change(postgres), bigints })
  }

  #text(expression: Expression): string {
    if (expression.kind !== 'column') throw this.#refusal('order or sum of what is no column')
    const { alias, name } = expression
    return alias === undefined ? name : `${alias}.${name}`
  }

  #refusal(what: string): Fault {
    return new Fault('store-failed', `segments do not know ${what} of: ${this.#question.sqlite}`)
  }
}

const turned: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function expressionsOf(condition: Condition): readonly Expression[] {
  if (condition.kind === 'compare') return [condition.left, condition.right]
  return condition.kind === 'in' ? [condition.value, ...condition.list] : [condition.value]
}

/** Returns whether a column `name`, of any table, is part of an expression. */
function names(expression: Expression, name: string): boolean {
  switch (expression.kind) {
    case 'column':
      return expression.name === name
    case 'binary':
      return names(expression.left, name) || names(expression.right, name)
    case 'call':
      return expression.of.some((each) => names(each, name))
    case 'unless-null':
      return names(expression.test, name) || names(expression.otherwise, name)
    case 'literal':
    case 'parameter':
      return false
  }
}

function summaryOf(expression: Expression): Summary {
  if (expression.kind !== 'call') return { kind: 'same', isZeroForNone: false }
  const { name, of } = expression
  if (name === 'sum' || name === 'min' || name === 'max')
    return { kind: name, isZeroForNone: false }
  const [first] = of
  if (name === 'coalesce' && first?.kind === 'call' && first.name === 'sum')
    return { kind: 'sum', isZeroForNone: true }
  return { kind: 'same', isZeroForNone: false }
}

function summarized(expression: Expression): Expression {
  if (summaryOf(expression).kind === 'same' || expression.kind !== 'call') return expression
  const [first] = expression.of
  assert(first !== undefined, 'what is summed is named')
  return first.kind === 'call' ? summarized(first) : first
}
