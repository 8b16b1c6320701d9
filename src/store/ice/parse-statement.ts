/**
 * Reads the SQL that questions about history are written in, so that segments answer the same
 * statements as the engines: a question is written once.
 *
 * It is a small part of SQL, in the words for SQLite: one `select` with inner, left and cross joins, a
 * conjunction of conditions, `group by`, `order by` columns and `limit`; no select inside another.
 */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'

/** A value of a row. */
export type Expression =
  | { readonly kind: 'column'; readonly alias: string | undefined; readonly name: string }
  | { readonly kind: 'literal'; readonly value: number | string | null }
  /** Place among the parameters. */
  | { readonly kind: 'parameter'; readonly at: number }
  | {
      readonly kind: 'binary'
      readonly operator: '+' | '-' | '*' | '/' | '%' | '||'
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'call'; readonly name: string; readonly of: readonly Expression[] }
  /** `case when test is null then null else otherwise end`. */
  | { readonly kind: 'unless-null'; readonly test: Expression; readonly otherwise: Expression }

/** Comparison of two values in a condition. */
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>='

/** A condition; all of a statement must hold. */
export type Condition =
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Expression
      readonly right: Expression
    }
  | { readonly kind: 'in'; readonly value: Expression; readonly list: readonly Expression[] }
  | { readonly kind: 'null'; readonly value: Expression; readonly isNull: boolean }

/** A table of `from`. `table` is `json_each` for a list in a parameter, `list`. */
export type FromTable = {
  readonly table: string
  readonly alias: string
  readonly isLeft: boolean
  /** Conditions of a left join; those of others are among the statement's. */
  readonly on: readonly Condition[]
  readonly list?: Expression
}

/** A column to order by. */
export type Order = { readonly by: Expression; readonly isDescending: boolean }

/** A statement. */
export type ParsedStatement = {
  readonly isDistinct: boolean
  readonly selected: readonly Expression[]
  readonly from: readonly FromTable[]
  readonly where: readonly Condition[]
  readonly groupBy: readonly Expression[]
  readonly orderBy: readonly Order[]
  readonly limit: Expression | undefined
}

/** Throws `store-failed` where `text` is not of this part of SQL. */
export function parseStatement(text: string): ParsedStatement {
  return new Words(text).statement()
}

/** Tables that `text` names after `from` and `join`, whatever else it is. */
export function tablesNamed(text: string): string[] {
  return [...text.matchAll(/\b(?:from|join)\s+([a-z_]\w*)/gi)].map(([, name]) => String(name))
}

const wordForm = /\s*(?:([a-z_]\w*)|(\d+)|'([^']*)'|(\|\||<>|<=|>=|[-+*/%=<>(),.?]))/iy
const clauses = ['from', 'where', 'group', 'order', 'limit', 'join', 'left', 'cross', 'on', 'as']

type Word = { readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end'; readonly text: string }

class Words {
  readonly #text: string
  readonly #words: Word[] = []
  #at = 0
  #parameters = 0

  constructor(text: string) {
    this.#text = text
    wordForm.lastIndex = 0
    for (let end = 0; text.slice(end).trim() !== ''; end = wordForm.lastIndex) {
      wordForm.lastIndex = end
      const found = wordForm.exec(text)
      if (found === null) throw this.#refusal()
      const [, word, number, quoted, sign] = found
      if (word !== undefined) this.#words.push({ kind: 'word', text: word.toLowerCase() })
      else if (number !== undefined) this.#words.push({ kind: 'number', text: number })
      else if (quoted !== undefined) this.#words.push({ kind: 'text', text: quoted })
      else this.#words.push({ kind: 'sign', text: String(sign) })
    }
    this.#words.push({ kind: 'end', text: '' })
  }

  statement(): ParsedStatement {
    this.#demand('select')
    const isDistinct = this.#takes('distinct')
    const selected = this.#list(() => this.#expression())
    this.#demand('from')
    const where: Condition[] = []
    const from = this.#tables(where)
    if (this.#takes('where')) this.#conditions(where)
    const groupBy = this.#takes('group', 'by') ? this.#list(() => this.#expression()) : []
    const orderBy = this.#takes('order', 'by') ? this.#list(() => this.#order()) : []
    const limit = this.#takes('limit') ? this.#expression() : undefined
    if (this.#word().kind !== 'end') throw this.#refusal()
    return { isDistinct, selected, from, where, groupBy, orderBy, limit }
  }

  #tables(where: Condition[]): FromTable[] {
    const from = [this.#table(false)]
    for (;;) {
      const isLeft = this.#takes('left')
      const isCross = !isLeft && this.#takes('cross')
      if (!this.#takes('join')) {
        if (isLeft || isCross) throw this.#refusal()
        return from
      }
      const table = this.#table(isLeft)
      const on: Condition[] = []
      if (this.#takes('on')) this.#conditions(isLeft ? on : where)
      from.push({ ...table, on })
    }
  }

  #table(isLeft: boolean): FromTable {
    const table = this.#name()
    const list = this.#takes('(') ? this.#expression() : undefined
    if (list !== undefined) this.#demand(')')
    this.#takes('as')
    const next = this.#word()
    const isAlias = next.kind === 'word' && !clauses.includes(next.text)
    const alias = isAlias ? this.#name() : table
    return { table, alias, isLeft, on: [], ...(list === undefined ? {} : { list }) }
  }

  #order(): Order {
    const by = this.#expression()
    const isDescending = this.#takes('desc')
    if (!isDescending) this.#takes('asc')
    return { by, isDescending }
  }

  #conditions(into: Condition[]): void {
    do into.push(...this.#condition())
    while (this.#takes('and'))
  }

  #condition(): Condition[] {
    if (this.#takes('true')) return []
    const value = this.#expression()
    if (this.#takes('is', 'not', 'null')) return [{ kind: 'null', value, isNull: false }]
    if (this.#takes('is', 'null')) return [{ kind: 'null', value, isNull: true }]
    if (this.#takes('between')) {
      const low = this.#expression()
      this.#demand('and')
      const high = this.#expression()
      return [
        { kind: 'compare', operator: '>=', left: value, right: low },
        { kind: 'compare', operator: '<=', left: value, right: high },
      ]
    }
    if (this.#takes('in')) {
      this.#demand('(')
      const list = this.#list(() => this.#expression())
      this.#demand(')')
      return [{ kind: 'in', value, list }]
    }
    const operator = this.#word().text
    if (!isComparison(operator)) throw this.#refusal()
    this.#at++
    return [{ kind: 'compare', operator, left: value, right: this.#expression() }]
  }

  #expression(): Expression {
    let left = this.#sum()
    while (this.#takes('||')) left = { kind: 'binary', operator: '||', left, right: this.#sum() }
    return left
  }

  #sum(): Expression {
    let left = this.#product()
    for (;;) {
      const operator = this.#takes('+') ? '+' : this.#takes('-') ? '-' : undefined
      if (operator === undefined) return left
      left = { kind: 'binary', operator, left, right: this.#product() }
    }
  }

  #product(): Expression {
    let left = this.#single()
    for (;;) {
      const operator = (['*', '/', '%'] as const).find((sign) => this.#takes(sign))
      if (operator === undefined) return left
      left = { kind: 'binary', operator, left, right: this.#single() }
    }
  }

  #single(): Expression {
    const word = this.#word()
    this.#at++
    if (word.kind === 'number') return { kind: 'literal', value: Number(word.text) }
    if (word.kind === 'text') return { kind: 'literal', value: word.text }
    if (word.text === '?') return { kind: 'parameter', at: this.#parameters++ }
    if (word.text === '-') {
      const right = this.#single()
      const left: Expression = { kind: 'literal', value: 0 }
      return { kind: 'binary', operator: '-', left, right }
    }
    if (word.text === '(') {
      const inner = this.#expression()
      this.#demand(')')
      return inner
    }
    if (word.kind !== 'word') throw this.#refusal()
    if (word.text === 'null') return { kind: 'literal', value: null }
    if (word.text === 'case') return this.#unlessNull()
    if (this.#takes('(')) {
      const of = this.#takes('*') ? [] : this.#list(() => this.#expression())
      this.#demand(')')
      return { kind: 'call', name: word.text, of }
    }
    if (!this.#takes('.')) return { kind: 'column', alias: undefined, name: word.text }
    return { kind: 'column', alias: word.text, name: this.#name() }
  }

  #unlessNull(): Expression {
    this.#demand('when')
    const test = this.#expression()
    for (const word of ['is', 'null', 'then', 'null', 'else']) this.#demand(word)
    const otherwise = this.#expression()
    this.#demand('end')
    return { kind: 'unless-null', test, otherwise }
  }

  #list<T>(one: () => T): T[] {
    const list = [one()]
    while (this.#takes(',')) list.push(one())
    return list
  }

  #name(): string {
    const word = this.#word()
    if (word.kind !== 'word') throw this.#refusal()
    this.#at++
    return word.text
  }

  #word(): Word {
    return itemAt(this.#words, Math.min(this.#at, this.#words.length - 1))
  }

  #takes(...words: readonly string[]): boolean {
    for (const [at, text] of words.entries()) {
      const word = this.#words[this.#at + at]
      if (word === undefined || word.text !== text || word.kind === 'text') return false
    }
    this.#at += words.length
    return true
  }

  #demand(text: string): void {
    if (!this.#takes(text)) throw this.#refusal()
  }

  #refusal(): Fault {
    return new Fault('store-failed', `segments do not know these words: ${this.#text}`)
  }
}

function isComparison(text: string): text is Comparison {
  return ['=', '<>', '<', '<=', '>', '>='].includes(text)
}
