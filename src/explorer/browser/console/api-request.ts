/** Operations of `/openapi.json`, and requests to them as text. */

import { withQuery } from '../kit/link.ts'
import type { Schema, Schemas } from './schema-lines.ts'

type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly description?: string
  readonly example?: unknown
  readonly schema: Schema
}
type DocumentOperation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses?: Readonly<Record<string, Body>>
}
type Body = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
/** A subject, and what its operations are about. */
export type Subject = { readonly name: string; readonly description: string }

/** The document, as far as the console reads it. */
export type OpenApi = {
  readonly tags: readonly Subject[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components?: { readonly schemas?: Schemas }
}
/** One operation. */
export type Operation = DocumentOperation & { readonly path: string; readonly method: string }

/** Operations of the document, in its order. */
export function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  )
}

/** A parameter, or a member of the body. */
export type Field = Parameter | (Omit<Parameter, 'in'> & { readonly in: 'body' })

/** Fields of the form of an operation. */
export function fieldsOf(operation: Operation): Field[] {
  const properties = operation.requestBody?.content?.['application/json']?.schema?.properties ?? {}
  return [
    ...(operation.parameters ?? []),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'body' as const,
      schema,
      ...(schema.description === undefined ? {} : { description: schema.description }),
    })),
  ]
}

/** Path and query with what was typed; what is missing stays as the document has it. */
export function urlOf({ path, parameters = [] }: Operation, values: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? ''
    return value === '' ? whole : encodeURIComponent(value)
  })
  const query = parameters
    .filter((one) => one.in === 'query')
    .flatMap(({ name, schema }) => {
      const value = values[name] ?? ''
      // Members of an object are parameters of their own: `from=0x…&to=0x…`.
      return schema.type === 'object' ? [...new URLSearchParams(value)] : [[name, value] as const]
    })
  return withQuery(filled, Object.fromEntries(query))
}

type Values = Readonly<Record<string, string>>

/** Values that were typed for some fields, numbers and truth values by their schemas. */
function typed(
  fields: readonly Field[],
  values: Values,
): Record<string, string | number | boolean> {
  const given = fields.filter(({ name }) => (values[name] ?? '') !== '')
  return Object.fromEntries(
    given.map(({ name, schema: { type } }) => {
      const text = values[name] ?? ''
      const isNumber = type === 'integer' || type === 'number'
      return [name, isNumber ? Number(text) : type === 'boolean' ? text === 'true' : text]
    }),
  )
}

/** The JSON body. */
export function bodyOf(operation: Operation, values: Values): string | undefined {
  const fields = fieldsOf(operation).filter((field) => field.in === 'body')
  return operation.requestBody && JSON.stringify(typed(fields, values))
}

/** A function of the official client, and what it takes. */
export type ClientCall = { readonly name: string; readonly parameters: object }

/** The call of an operation; `undefined` where the client has none, or takes a body. */
export function clientCallOf(
  { method, path, parameters = [], requestBody }: Operation,
  values: Values,
  calls: Values,
): ClientCall | undefined {
  const name = requestBody === undefined ? calls[`${method} ${path}`] : undefined
  return name === undefined ? undefined : { name, parameters: typed(parameters, values) }
}

/** A request as it is sent. */
export type Request = {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
  readonly call: ClientCall | undefined
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`\'`)}'`

/** The request in words of a shell and of two languages; `undefined` where it cannot be said. */
export const languages: Readonly<Record<string, (request: Request) => string | undefined>> = {
  curl: ({ method, url, body }) => {
    const data =
      body === undefined
        ? ''
        : ` -H 'content-type: application/json' -d '${body.replaceAll("'", String.raw`'\''`)}'`
    return `curl -X ${method}${data} '${url}'`
  },
  'TypeScript SDK': ({ url, call }) => {
    if (call === undefined) return undefined
    const given = Object.entries(call.parameters).map(
      ([name, value]) => `${name}: ${typeof value === 'string' ? quoted(value) : String(value)}`,
    )
    return `import { AvalancheCore } from '@avalanche-sdk/chainkit/core.js'
import { ${call.name} } from '@avalanche-sdk/chainkit/funcs/${call.name}.js'

const { value, error } = await ${call.name}(
  new AvalancheCore({ enableTelemetry: false }),
  { ${given.join(', ')} },
  { serverURL: ${quoted(new URL(url).origin)} },
)
console.log(value ?? error)`
  },
  'TypeScript fetch': ({ method, url, body }) => {
    const how =
      body === undefined
        ? `method: '${method}'`
        : `method: '${method}', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${body})`
    return `const response = await fetch(${quoted(url)}, { ${how} })\nconsole.log(await response.json())`
  },
  Python: ({ method, url, body }) => {
    const data = body === undefined ? '' : `, json=json.loads(${quoted(body)})`
    return `import json, requests\n\nprint(requests.request('${method}', ${quoted(url)}${data}).json())`
  },
}
