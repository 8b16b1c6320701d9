/** The OpenAPI 3.1 document, printed from the operations that are served. */

import type { TObject, TSchema } from 'typebox'

import type { OperationShape } from './operation.ts'
import { errorWords } from './status.ts'

const failures = [400, 401, 403, 404, 429, 500, 502, 503]

/** The document as a JSON value. Shapes with an `$id` become components. */
export function openApiDocument(shapes: readonly OperationShape[], version: string): unknown {
  const components: Record<string, unknown> = {
    Error: {
      type: 'object',
      required: ['message', 'error', 'statusCode'],
      properties: {
        message: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        error: { type: 'string' },
        statusCode: { type: 'integer' },
      },
    },
  }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const shape of shapes) {
    const item = (paths[shape.path] ??= {})
    item[shape.method.toLowerCase()] = operationOf(shape, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Firn',
      version,
      description: 'An open, self-hosted Avalanche data service.',
      license: { name: 'BSD-3-Clause' },
    },
    paths,
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key' } },
    },
    security: [{ apiKey: [] }, {}],
  }
}

function operationOf(shape: OperationShape, components: Record<string, unknown>): unknown {
  const { path, query, body } = shape.parameters
  const responses: Record<string, unknown> = {
    [String(shape.status ?? 200)]: {
      description: 'Success',
      content: { 'application/json': { schema: referenced(shape.response, components) } },
    },
  }
  for (const status of failures) {
    responses[String(status)] = {
      description: errorWords[status],
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  return {
    operationId: shape.id,
    summary: shape.summary,
    tags: [shape.tag],
    parameters: [...parametersOf(path, 'path'), ...parametersOf(query, 'query')],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: referenced(body, components) } },
          },
        }),
    responses,
  }
}

function parametersOf(schema: TObject, place: 'path' | 'query'): unknown[] {
  const required = new Set<string>(schema.required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => {
    const jsonSchema: Readonly<Record<string, unknown>> = { ...property }
    const { description, allowed: _allowed, ...rest } = jsonSchema
    return { name, in: place, required: required.has(name), description, schema: rest }
  })
}

/** A copy of `schema` in which every shape with an `$id` is a reference to a component. */
function referenced(schema: TSchema, components: Record<string, unknown>): unknown {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null) return value
    const { $id, ...rest } = value as { $id?: unknown }
    const plain = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, copy(item)]))
    if (typeof $id !== 'string') return plain
    components[$id] ??= plain
    return { $ref: `#/components/schemas/${$id}` }
  }
  return copy(schema)
}
