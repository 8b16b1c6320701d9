/**
 * Gives the OpenAPI document what contracts do not carry: an example of every parameter, field and answer, and a
 * sentence on every operation.
 *
 * Examples are those of `docs/examples`, which were printed from answers and are compared with them by a
 * test; where none of them has the field, the one beside its declaration.
 */

import { isObject, ownValue } from '../../../core/json.ts'
import { tags } from '../../../shape/operations/contract.ts'
import type { PrintedExample } from './printed-examples.ts'

type Schema = Record<string, unknown>
type Body = { readonly content?: Readonly<Record<string, { schema?: Schema; example?: unknown }>> }
type OperationObject = Schema & {
  readonly operationId: string
  readonly parameters: (Schema & { schema: Schema })[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}
type Document = Schema & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Body>>
  }
}

/** A copy of `document` with them. */
export function describeDocument(document: unknown, printed: readonly PrintedExample[]): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- openApiDocument made it
  const copy = structuredClone(document) as Document
  const describer = new Describer(copy, printed)
  describer.describe()
  return {
    ...copy,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  }
}

/** Stands in a printed answer for something that changes. */
const changing = '…'

class Describer {
  readonly #document: Document
  readonly #printed: ReadonlyMap<string, PrintedExample>
  /** Values of printed answers and requests, by the schema of their field and by its name. */
  readonly #seen = new Map<Schema, unknown>()
  readonly #seenByName = new Map<string, unknown[]>()

  constructor(document: Document, printed: readonly PrintedExample[]) {
    this.#document = document
    this.#printed = new Map(printed.map((one) => [one.id, one]))
  }

  describe(): void {
    const operations = Object.entries(this.#document.paths).flatMap(([path, item]) =>
      Object.values(item).map((operation) => ({ path, operation })),
    )
    for (const { path, operation } of operations) this.#look(path, operation)
    for (const schema of Object.values(this.#document.components.schemas)) this.#fields(schema)
    for (const { operation } of operations) this.#describeOperation(operation)
    // Of a parameter `example` is the usual keyword; several have one schema.
    for (const { operation } of operations)
      for (const { schema } of operation.parameters) delete schema['examples']
  }

  /** Takes the values of an operation's printed request and answer. */
  #look(path: string, operation: OperationObject): void {
    const printed = this.#printed.get(operation.operationId)
    if (printed === undefined) return
    const { schema, example: declared } = mediaOf(success(operation)) ?? {}
    const answer = printed.answer === '' ? declared : JSON.parse(printed.answer)
    if (schema !== undefined) this.#see(schema, answer)
    const body = mediaOf(operation.requestBody)?.schema
    if (body !== undefined && printed.body !== undefined) this.#see(body, JSON.parse(printed.body))
    const example = new URL(printed.path, 'http://firn')
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
    const form = path
      .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
      .replaceAll(/\{\w+\}/g, '([^/]+)')
    const found = new RegExp(`^${form}$`).exec(example.pathname.replaceAll('%7B', '{')) ?? []
    for (const parameter of operation.parameters) {
      const name = String(parameter['name'])
      const given = found[names.indexOf(name) + 1]
      const text = parameter['in'] === 'path' ? given : example.searchParams.get(name)
      if (typeof text !== 'string' || text.startsWith('$')) continue
      const value = valueOf(text, parameter['schema'])
      this.#seen.set(parameter, value)
      this.#seenByName.set(name, [...(this.#seenByName.get(name) ?? []), value])
    }
  }

  #see(schema: Schema, value: unknown): void {
    const { properties, items, patternProperties, parts } = this.#open(schema)
    for (const part of parts) this.#see(part, value)
    if (Array.isArray(value)) {
      for (const item of value) if (items !== undefined && !isRest(item)) this.#see(items, item)
      return
    }
    if (!isObject(value)) return
    for (const inner of patternProperties)
      for (const one of Object.values(value)) this.#see(inner, one)
    for (const [name, inner] of Object.entries(properties)) {
      const given = ownValue(value, name)
      if (given === undefined) continue
      const shown = this.#isLeaf(inner) ? shownLeaf(given, inner) : undefined
      if (shown !== undefined && !this.#seen.has(inner)) {
        this.#seen.set(inner, shown)
        this.#seenByName.set(name, [...(this.#seenByName.get(name) ?? []), shown])
      }
      this.#see(inner, given)
    }
  }

  /** Parts of a schema behind its reference. */
  #open(schema: Schema): Opened {
    const reference = schema['$ref']
    const target =
      typeof reference === 'string'
        ? (ownValue(
            this.#document.components.schemas,
            reference.slice(reference.lastIndexOf('/') + 1),
          ) ?? {})
        : schema
    const { properties, items, patternProperties, allOf, anyOf } = target
    return {
      properties: schemasIn(properties),
      items: isObject(items) ? items : undefined,
      patternProperties: Object.values(schemasIn(patternProperties)),
      parts: [allOf, anyOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : [])),
    }
  }

  /** Returns whether a field has a value of its own, besides those of its members. */
  #isLeaf(schema: Schema): boolean {
    const { properties, patternProperties, items, parts } = this.#open(schema)
    if (Object.keys(properties).length > 0 || patternProperties.length > 0) return false
    if (items !== undefined) return this.#isLeaf(items)
    return parts.every((part) => this.#isLeaf(part))
  }

  /** Adds examples to the fields of a schema, and to those inside them. */
  #fields(schema: Schema): void {
    const { properties, items, patternProperties, parts } =
      '$ref' in schema ? nothing : this.#open(schema)
    for (const inner of [...patternProperties, ...parts, ...(items === undefined ? [] : [items])])
      this.#fields(inner)
    for (const [name, inner] of Object.entries(properties)) {
      if (!('$ref' in inner) && this.#isLeaf(inner)) {
        const example = this.#exampleOf(name, inner)
        if (example !== undefined) inner['examples'] = [example]
      }
      this.#fields(inner)
    }
  }

  /** The value of a field in a printed answer, else one that is known for its schema or its name, else the declared one. */
  #exampleOf(name: string, schema: Schema): unknown {
    const known = [schema, ...this.#open(schema).parts]
    const { items } = this.#open(schema)
    const ofKind = known.flatMap((one) => [
      ...(Array.isArray(one['enum']) ? [one['enum'][0]] : []),
      ...(one['const'] === undefined ? [] : [one['const']]),
      ...(one['default'] === undefined ? [] : [one['default']]),
      ...(one['type'] === 'boolean' ? [true] : []),
    ])
    const ofItems = isObject(items) && Array.isArray(items['enum']) ? [[items['enum'][0]]] : []
    const candidates = [
      this.#seen.get(schema),
      ...ofKind,
      ...ofItems,
      ...(this.#seenByName.get(name) ?? []),
    ]
    const found = candidates.find((value) => value !== undefined && fits(value, schema))
    const { examples: declared } = schema
    return found === undefined && Array.isArray(declared) ? declared[0] : found
  }

  #describeOperation(operation: OperationObject): void {
    const { operationId: id } = operation
    const printed = this.#printed.get(id)
    operation['description'] ??= `${printed?.about ?? `${String(operation['summary'])}.`}`
    for (const parameter of operation.parameters) {
      const name = String(parameter['name'])
      const { schema } = parameter
      parameter['example'] = this.#seen.get(parameter) ?? this.#exampleOf(name, schema)
    }
    for (const body of [operation.requestBody, ...Object.values(operation.responses)]) {
      const media = mediaOf(body)
      if (media?.schema !== undefined) this.#fields(media.schema)
    }
    if (printed !== undefined) this.#show(operation, printed)
  }

  /** Shows a printed request and answer. */
  #show(operation: OperationObject, printed: PrintedExample): void {
    const body = mediaOf(operation.requestBody)
    if (body !== undefined && printed.body !== undefined) body.example = JSON.parse(printed.body)
    const answer = mediaOf(success(operation))
    if (answer?.schema !== undefined && printed.answer !== '')
      answer.example = this.#whole(answer.schema, JSON.parse(printed.answer))
  }

  /** A printed value without the marks of what was left out. */
  #whole(schema: Schema, value: unknown): unknown {
    const { properties, items, patternProperties, parts } = this.#open(schema)
    if (Array.isArray(value))
      return value.filter((item) => !isRest(item)).map((item) => this.#whole(items ?? {}, item))
    if (isObject(value)) {
      const inside = Object.assign(
        {},
        properties,
        ...parts.map((part) => this.#open(part).properties),
      )
      const entries = Object.entries(value).map(([name, inner]) => {
        const of = schemasIn({ of: ownValue(inside, name) })['of'] ?? patternProperties[0] ?? {}
        return [name, this.#whole(of, inner)]
      })
      return Object.fromEntries(entries)
    }
    if (value !== changing) return withoutCut(value)
    const { examples: known } = schema
    return Array.isArray(known) ? known[0] : value
  }
}

type Opened = {
  readonly properties: Readonly<Record<string, Schema>>
  readonly items: Schema | undefined
  readonly patternProperties: readonly Schema[]
  readonly parts: readonly Schema[]
}

const nothing: Opened = { properties: {}, items: undefined, patternProperties: [], parts: [] }

function schemasIn(value: unknown): Readonly<Record<string, Schema>> {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (isObject(one) ? [[name, one]] : [])),
  )
}

function mediaOf(body: Body | undefined): { schema?: Schema; example?: unknown } | undefined {
  return body?.content?.['application/json']
}

function success({ responses }: OperationObject): Body | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
}

/** Returns whether an item of a printed list stands for the others. */
function isRest(item: unknown): boolean {
  return typeof item === 'string' && /^… \d+ more$/.test(item)
}

/** A printed value that is one of `schema`; `undefined` where it was left out. */
function shownLeaf(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isRest(item) && item !== changing)
    return items.length === 0 ? undefined : items
  }
  if (value === changing || value === null) return undefined
  const cut = withoutCut(value)
  return fits(cut, schema) ? cut : undefined
}

/** Bytes that were cut when they were printed are shorter bytes. */
function withoutCut(value: unknown): unknown {
  return typeof value === 'string' && /^0x[0-9a-f]*…$/.test(value) ? value.slice(0, -1) : value
}

/** Returns whether a value is of the type and form of a schema. */
function fits(value: unknown, schema: Schema): boolean {
  const { type, pattern, anyOf, items } = schema
  const { enum: words } = schema
  if (Array.isArray(words)) return words.includes(value)
  if (schema['const'] !== undefined) return value === schema['const']
  if (Array.isArray(anyOf)) return anyOf.some((one) => isObject(one) && fits(value, one))
  switch (type) {
    case 'string':
      return (
        typeof value === 'string' &&
        (typeof pattern !== 'string' || new RegExp(pattern).test(value))
      )
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
    case 'boolean':
      return typeof value === type
    case 'null':
      return value === null
    case 'object':
      return isObject(value) && !Array.isArray(value)
    case 'array':
      return Array.isArray(value) && (!isObject(items) || value.every((item) => fits(item, items)))
    default:
      return true
  }
}

/** Text of a parameter as a value of its schema. */
function valueOf(text: string, schema: unknown): unknown {
  const type = isObject(schema) ? schema['type'] : undefined
  if (type === 'array') return text.split(',')
  return type === 'integer' || type === 'number' || type === 'boolean' ? JSON.parse(text) : text
}
