/** Operations of `/openapi.json`, and requests to them as text. */

import { withQuery } from '../kit/answer.ts'
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
/** The document, as far as the console reads it. */
export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components?: { readonly schemas?: Schemas }
}
/** One operation. */
export type Operation = DocumentOperation & { readonly path: string; readonly method: string }

/** Operations of the document, by the names of their groups. */
export function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
      })),
    )
    .toSorted((a, b) => (a.tags[0] ?? '').localeCompare(b.tags[0] ?? ''))
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
export function urlOf(
  { path, parameters = [] }: Operation,
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? ''
    return value === '' ? whole : encodeURIComponent(value)
  })
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name }) => [name, values[name] ?? ''] as const)
  return withQuery(filled, Object.fromEntries(query))
}

/** The JSON body; numbers and truth values by their schema. */
export function bodyOf(
  operation: Operation,
  values: Readonly<Record<string, string>>,
): string | undefined {
  if (operation.requestBody === undefined) return undefined
  const entries = fieldsOf(operation)
    .filter((field) => field.in === 'body' && (values[field.name] ?? '') !== '')
    .map(({ name, schema }) => {
      const text = values[name] ?? ''
      return [
        name,
        schema.type === 'integer' || schema.type === 'number'
          ? Number(text)
          : schema.type === 'boolean'
            ? text === 'true'
            : text,
      ]
    })
  return JSON.stringify(Object.fromEntries(entries))
}

/** A request as it is sent. */
export type Request = {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`\'`)}'`

/** The request in words of a shell and of two languages. */
export const languages = {
  curl: ({ method, url, body }) => {
    const data =
      body === undefined
        ? ''
        : ` -H 'content-type: application/json' -d '${body.replaceAll("'", String.raw`'\''`)}'`
    return `curl -X ${method}${data} '${url}'`
  },
  TypeScript: ({ method, url, body }) => {
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
} as const satisfies Record<string, (request: Request) => string>
