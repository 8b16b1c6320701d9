/**
 * Reads path and query text by the schema of an operation.
 *
 * Everything arrives as text; the schema says what it must be. Every violation is reported, joined
 * by `; `, each naming its parameter and what is allowed. An empty
 * value counts as absent, a scalar given twice is refused.
 */

import { clip } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { ownValue } from '../../core/json.ts'
import { nearest } from '../../core/text.ts'
import type { ObjectSchema, Schema } from '../../shape/type.ts'

/** Raw values as the HTTP server parsed them. */
export type RawParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reader of one schema. Throws `bad-parameter`. */
export type ParameterReader = (raw: RawParameters) => Record<string, unknown>

/** A name that a schema declares, never text of a caller. */
type DeclaredName = string & { readonly isDeclared: true }

type Rule = {
  readonly name: DeclaredName
  readonly required: boolean
  readonly isArray: boolean
  readonly maxItems: number
  readonly fallback: unknown
  readonly allowed: string
  readonly parse: (text: string) => unknown
}

const wrong = Symbol('wrong')

/** The keywords of JSON schema that parameters use. */
type Keywords = {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly const?: string | number
  readonly enum?: readonly (string | number)[]
  readonly anyOf?: readonly Keywords[]
  readonly items?: Keywords
  readonly default?: unknown
  readonly maxItems?: number
  readonly maxLength?: number
  /** Said in errors in place of the pattern. */
  readonly allowed?: string
}

/** Names that every query may have, whatever the operation. */
const everywhere: readonly string[] = ['minHeight', 'rltoken', 'apikey']

/**
 * Refuses queries with names that `schema` does not have, each with the nearest known one: who misspells
 * a filter or a page token would get another list than meant, or the same page for ever.
 */
export function unknownRefuser(schema: ObjectSchema): (raw: RawParameters) => void {
  const names = Object.keys(schema.properties)
  if (restOf(schema) !== undefined) return () => undefined
  const known = new Set([...everywhere, ...names.flatMap((name) => [name, `${name}[]`])])
  return (raw) => {
    const unknown = Object.keys(raw).find((name) => !known.has(name))
    if (unknown === undefined) return
    const close = nearest(clip(unknown), names)
    const meant = close === undefined ? '' : `, did you mean ${close}?`
    const all = names.length === 0 ? 'none' : names.join(', ')
    throw new Fault(
      'bad-parameter',
      `${clip(unknown)} is no parameter of this operation${meant} (it has: ${all})`,
    )
  }
}

/** The member that has the texts of all other names; `undefined` of most schemas. */
function restOf({ properties }: ObjectSchema): string | undefined {
  return Object.entries(properties).find(([, schema]) => 'patternProperties' in schema)?.[0]
}

/** Makes the reader of `schema` once, at start. */
export function parameterReader(schema: ObjectSchema): ParameterReader {
  const required = new Set<string>(schema.required ?? [])
  const rest = restOf(schema)
  const rules = Object.entries(schema.properties).flatMap(([name, property]) =>
    name === rest ? [] : [ruleOf(name, property, required.has(name))],
  )
  const known = new Set([...everywhere, ...rules.map(({ name }): string => name)])
  return (raw) => {
    const values: Record<string, unknown> = {}
    let problems: string[] | undefined
    for (const rule of rules) {
      const value = readOne(
        rule,
        ownValue(raw, rule.name) ?? (rule.isArray ? ownValue(raw, `${rule.name}[]`) : undefined),
      )
      if (value === wrong)
        (problems ??= []).push(
          `${rule.name} must be ${rule.allowed}: ${shown(ownValue(raw, rule.name))}`,
        )
      else if (value !== undefined) values[rule.name] = value
      else if (rule.required) (problems ??= []).push(`${rule.name} is required: ${rule.allowed}`)
    }
    if (problems !== undefined) throw new Fault('bad-parameter', problems.join('; '))
    return rest === undefined ? values : { ...values, [rest]: otherTexts(raw, known) }
  }
}

/** Texts by the names that are not `known`. Throws `bad-parameter` where a name is given twice. */
function otherTexts(raw: RawParameters, known: ReadonlySet<string>): Record<string, string> {
  const texts: [string, string][] = []
  for (const [name, text] of Object.entries(raw)) {
    if (known.has(name) || text === undefined || text === '') continue
    if (typeof text !== 'string') throw new Fault('bad-parameter', `${clip(name)} must be one text`)
    texts.push([name, text])
  }
  return Object.fromEntries(texts)
}

function readOne(rule: Rule, raw: string | readonly string[] | undefined): unknown {
  if (rule.isArray) {
    const items = (typeof raw === 'string' ? [raw] : (raw ?? [])).flatMap((item) => item.split(','))
    const words = [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))]
    if (words.length === 0) return rule.fallback
    if (words.length > rule.maxItems) return wrong
    const values = words.map(rule.parse)
    return values.includes(wrong) ? wrong : values
  }
  if (typeof raw !== 'string' && raw !== undefined) return wrong
  return raw === undefined || raw === '' ? rule.fallback : rule.parse(raw)
}

function ruleOf(name: string, property: Schema, required: boolean): Rule {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TypeBox schema is a JSON schema
  const keywords = property as Keywords
  const isArray = keywords.type === 'array'
  const item = isArray ? (keywords.items ?? {}) : keywords
  const { allowed, parse } = scalar(item)
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has it
    name: name as DeclaredName,
    required,
    isArray,
    maxItems: keywords.maxItems ?? Infinity,
    fallback: keywords.default,
    allowed: keywords.allowed ?? (isArray ? `a list of ${allowed}` : allowed),
    parse,
  }
}

function scalar(keywords: Keywords): Pick<Rule, 'allowed' | 'parse'> {
  const words = literalsOf(keywords)
  if (words !== undefined) {
    return {
      allowed: `one of ${words.join(', ')}`,
      parse: (text) => (words.includes(text) ? text : wrong),
    }
  }
  const { minimum = -Infinity, maximum = Infinity } = keywords
  const range = Number.isFinite(maximum)
    ? ` from ${minimum} to ${maximum}`
    : Number.isFinite(minimum)
      ? ` of at least ${minimum}`
      : ''
  switch (keywords.type) {
    case 'integer':
      return {
        allowed: `an integer${range}`,
        parse: (text) => within(/^-?\d{1,16}$/.test(text), Number(text), minimum, maximum),
      }
    case 'number':
      return {
        allowed: `a number${range}`,
        parse: (text) =>
          within(/^-?\d{1,20}(\.\d{1,20})?$/.test(text), Number(text), minimum, maximum),
      }
    case 'boolean':
      return {
        allowed: 'true or false',
        parse: (text) => (text === 'true' ? true : text === 'false' ? false : wrong),
      }
    default: {
      const pattern = keywords.pattern === undefined ? undefined : new RegExp(keywords.pattern)
      const { maxLength = 16_384 } = keywords
      return {
        allowed: keywords.allowed ?? 'text',
        parse: (text) => (text.length <= maxLength && (pattern?.test(text) ?? true) ? text : wrong),
      }
    }
  }
}

function within(wellFormed: boolean, value: number, minimum: number, maximum: number): unknown {
  return wellFormed && value >= minimum && value <= maximum ? value : wrong
}

function literalsOf(keywords: Keywords): string[] | undefined {
  if (keywords.enum !== undefined) return keywords.enum.map(String)
  if (keywords.const !== undefined) return [String(keywords.const)]
  const options = keywords.anyOf
  if (options === undefined || options.some((option) => option.const === undefined))
    return undefined
  return options.map((option) => String(option.const))
}

function shown(raw: string | readonly string[] | undefined): string {
  return clip(typeof raw === 'string' ? raw : (raw ?? []).join(','))
}
