/** The OpenAPI 3.1 document, printed from the operations that are served. */

import { ownValue } from '../../../core/json.ts'
import type { Contract } from '../../../shape/operations/contract.ts'
import type { ObjectSchema, Schema } from '../../../shape/type.ts'
import { listShapeOf } from '../../operation/list-columns.ts'
import { contentTypes, fileFormats } from '../../operation/list-format.ts'
import { rpcCodes, rpcFailure, errorBody, errorWords } from '../../operation/status.ts'
import type { DialectRules } from '../dialect.ts'
import { mayBeOfOneChain } from '../read-position.ts'

/**
 * Statuses of failures that every operation may answer. A 405 belongs to the path and has `Allow`.
 */
const failures = [400, 401, 403, 404, 405, 408, 414, 417, 429, 431, 500, 503]

/** Further statuses of operations that take a body. */
const bodyFailures = [413, 415]

/** An example of the message of each status. */
const failureExamples: Readonly<Record<number, string>> = {
  400: 'pageSize must be an integer from 1 to 100: -1',
  401: 'an API key is required: send it as x-service-api-key',
  403: 'invalid host specified, see the setting api.allowedHosts',
  404: 'chain is not served here: 43114 (here: 51001 (Summit))',
  405: 'DELETE is not served at this path',
  408: 'the request did not arrive in time',
  413: 'Request body is too large',
  414: "'aaaa…' is exceeding the max param length",
  415: 'the body must be sent with content-type application/json: text/plain',
  417: 'the only expectation that is met is 100-continue',
  429: 'rate limit exceeded; retry in 5 s',
  431: 'the headers are longer than 16 KiB',
  500: 'something went wrong here; it has been logged',
  503: 'the answer took too long',
}

type Components = Map<string, unknown>

/** The document as a JSON value. Shapes with an `$id` become components. */
export function openApiDocument(
  contracts: readonly Contract[],
  version: string,
  rules: DialectRules = {},
): unknown {
  const schemas: Components = new Map<string, unknown>([
    ['Error', errorSchema],
    ['RpcError', rpcErrorSchema],
  ])
  const paths = new Map<string, Map<string, unknown>>()
  for (const contract of contracts) {
    const item = paths.get(contract.path) ?? new Map<string, unknown>()
    item.set(contract.method.toLowerCase(), operationOf(contract, schemas, rules))
    paths.set(contract.path, item)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Firn',
      version,
      description:
        'An open, self-hosted Avalanche data service. Answers to the official clients (by User-Agent, or x-firn-dialect: sdk) differ in a few members as those clients expect them.',
      license: { name: 'BSD-3-Clause', identifier: 'BSD-3-Clause' },
    },
    servers: [{ url: '/', description: 'This deployment' }],
    paths: {
      ...Object.fromEntries([...paths].map(([path, item]) => [path, Object.fromEntries(item)])),
      ...otherPaths,
    },
    components: {
      schemas: Object.fromEntries(schemas),
      responses: Object.fromEntries(
        [...failures, ...bodyFailures].map((status) => [String(status), failureOf(status)]),
      ),
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key' } },
    },
    security: [{ apiKey: [] }, {}],
  }
}

const errorSchema = {
  type: 'object',
  description: 'Every error of the API',
  required: ['message', 'error', 'statusCode'],
  additionalProperties: false,
  properties: {
    message: {
      description: 'What is wrong, in a sentence',
      oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
    error: {
      type: 'string',
      description: 'The standard word of the status, or what went wrong',
      examples: ['Bad Request'],
    },
    statusCode: { type: 'integer', description: 'HTTP status', examples: [400] },
  },
} as const

const rpcErrorSchema = {
  type: 'object',
  description: 'The failure of a JSON-RPC call',
  required: ['jsonrpc', 'id', 'error'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0', description: 'Version of JSON-RPC' },
    id: { type: ['string', 'number', 'null'], description: 'Id of the call', examples: [1] },
    error: {
      type: 'object',
      description: 'The failure',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', description: 'Code of EIP-1474', examples: [rpcCodes.failed] },
        message: { type: 'string', description: 'A sentence' },
      },
    },
  },
} as const

/** Failures of JSON-RPC calls; what is refused before it is read has the form of all others. */
const rpcFailures = {
  schema: {
    anyOf: [{ $ref: '#/components/schemas/RpcError' }, { $ref: '#/components/schemas/Error' }],
  },
  example: rpcFailure({ id: 1 }, rpcCodes.tooMany, 'rate limit exceeded; retry in 5 s'),
} as const

const seconds = { schema: { type: 'integer', minimum: 0 } } as const

const minHeight = {
  name: 'minHeight',
  in: 'query',
  required: false,
  description:
    'Answer only once the chain is indexed up to this height: waits for it two seconds, then 503',
  schema: { type: 'integer', minimum: 0, examples: [75] },
} as const

/** Of every list. */
const listFormat = {
  name: 'format',
  in: 'query',
  required: false,
  description: 'Form of the list, in place of the one that `Accept` names',
  schema: { enum: ['json', ...fileFormats] },
} as const

/** Headers of answers about one chain. */
const freshness = {
  headers: {
    'x-indexed-height': { description: 'The answer is complete up to this height', ...seconds },
    'x-indexed-at': { description: 'Unix seconds of the block at that height', ...seconds },
    'x-head-height': {
      description: 'Newest height the source gave within half a minute, else `unknown`',
      schema: { type: 'string' },
    },
    'x-balances': {
      description:
        'Of answers with token balances: `compared at block N` by the node, or `from logs until block N`',
      schema: { type: 'string' },
    },
  },
} as const

function failureOf(status: number): unknown {
  const headers = {
    ...(status === 405
      ? { allow: { description: 'Methods of this path', schema: { type: 'string' } } }
      : {}),
    ...(status === 429 || status === 503
      ? { 'retry-after': { description: 'Seconds to wait', ...seconds } }
      : {}),
  }
  return {
    description: errorWords[status],
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: errorBody(status, failureExamples[status] ?? ''),
      },
    },
  }
}

const notModified = { description: 'The body with the ETag in if-none-match is still the answer' }

function operationOf(contract: Contract, schemas: Components, rules: DialectRules): unknown {
  const { path, query, body } = contract.parameters
  const isFresh = mayBeOfOneChain(contract.path)
  const success = { ...successOf(contract, schemas), ...(isFresh ? freshness : {}) }
  const statuses = [contract.status ?? 200, ownValue(rules, contract.id)?.sdkStatus ?? []].flat()
  const others = contract.method === 'GET' ? failures : [...failures, ...bodyFailures]
  return {
    operationId: contract.id,
    summary: contract.summary,
    tags: [contract.tag],
    parameters: [
      ...parametersOf(path, 'path'),
      ...parametersOf(query, 'query'),
      ...(isFresh ? [minHeight] : []),
      ...(isList(contract) ? [listFormat] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: referenced(body, schemas) } },
          },
        }),
    responses: Object.fromEntries([
      ...statuses.map((status) => [String(status), success]),
      ...(contract.method === 'GET' ? [['304', notModified]] : []),
      ...others.map((status) => [String(status), refusalOf(contract, status, schemas)]),
    ]),
  }
}

/** A failure, in the form of its operation where that has one of its own. */
function refusalOf(contract: Contract, status: number, schemas: Components): unknown {
  const description = errorWords[status]
  if (contract.isJsonRpc === true)
    return { description, content: { 'application/json': rpcFailures } }
  if (status !== 404 || contract.mayBeAbsent !== true)
    return { $ref: `#/components/responses/${status}` }
  const anyOf = [referenced(contract.response, schemas), reference('Error')]
  return { description, content: { 'application/json': { schema: { anyOf } } } }
}

/** A success; without content where the shape is empty, lists also as files. */
function successOf(contract: Contract, schemas: Components): object {
  const { response, example } = contract
  const description = 'Success'
  if ('type' in response && response.type === 'void') return { description }
  const files = fileFormats.map((format) => [contentTypes[format].replace(/;.*/, ''), {}])
  const lines: object = isList(contract) ? Object.fromEntries(files) : {}
  const declared = example === undefined ? {} : { example }
  const json = { schema: referenced(response, schemas), ...declared }
  return { description, content: { 'application/json': json, ...lines } }
}

function isList(contract: Contract): boolean {
  return contract.method === 'GET' && listShapeOf(contract) !== undefined
}

function parametersOf(schema: ObjectSchema, place: 'path' | 'query'): unknown[] {
  const required = new Set<string>(schema.required ?? [])
  return Object.entries(schema.properties).map(([name, property]) => {
    const jsonSchema: Readonly<Record<string, unknown>> = { ...property }
    const { description, allowed: _allowed, ...rest } = jsonSchema
    // Each of its members is a parameter of its own.
    const form = 'patternProperties' in rest ? { style: 'form', explode: true } : {}
    return { name, in: place, required: required.has(name), description, ...form, schema: rest }
  })
}

/**
 * Members of an object; the state of an NFT is in small letters where document B has it so: an enum of its
 * own, since generators of clients make one name of words that differ in case.
 */
function membersOf(properties: unknown): unknown {
  if (typeof properties !== 'object' || properties === null) return properties
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]: [string, unknown]) => [
      name,
      name === 'indexStatus' && isEnum(schema)
        ? {
            description: schema.description,
            anyOf: [
              { type: 'string', enum: schema.enum },
              { type: 'string', enum: schema.enum.map((word) => word.toLowerCase()) },
            ],
          }
        : schema,
    ]),
  )
}

function isEnum(
  schema: unknown,
): schema is { readonly enum: readonly string[]; readonly description?: string } {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    'enum' in schema &&
    Array.isArray(schema.enum) &&
    schema.enum.every((word) => typeof word === 'string')
  )
}

function reference(id: string): unknown {
  return { $ref: `#/components/schemas/${id}` }
}

/** A copy of `schema` in which every shape with an `$id` is a reference to a component. */
function referenced(schema: Schema, schemas: Components): unknown {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null) return value
    const { $id, ...rest } = value as { $id?: unknown }
    // Most shapes stand in many operations: one copy of each is enough.
    if (typeof $id === 'string' && schemas.has($id)) return reference($id)
    const plain = Object.fromEntries(
      Object.entries(rest).map(([name, item]: [string, unknown]) => [
        name,
        name === 'properties' ? membersOf(copy(item)) : copy(item),
      ]),
    )
    if (typeof $id !== 'string') return plain
    schemas.set($id, plain)
    return reference($id)
  }
  return copy(schema)
}

const text = (
  name: string,
  place: 'path' | 'query',
  description: string,
  example: string,
): object => ({
  name,
  in: place,
  required: place === 'path',
  description,
  schema: { type: 'string', examples: [example] },
})

const uuid = '3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11'
const webhook = [
  text('id', 'path', 'UUID of the webhook', uuid),
  text('from', 'query', 'height to begin at; what is older than the outbox is computed anew', '0'),
  text(
    'lastEventId',
    'query',
    'go on after this message; a header of that name means the same',
    uuid,
  ),
]

const otherPathsFailures = (...statuses: readonly number[]): object =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  )

/** The usual failures of a request without a body. */
const usual = otherPathsFailures(400, 401, 403, 404, 405, 408, 414, 417, 429, 431, 500, 503)

/** Path items by path. */
const otherPaths: Readonly<Record<string, object>> = {
  '/v1/webhooks/{id}/events': {
    get: {
      operationId: 'streamEvents',
      summary: 'Messages of a webhook as Server-Sent Events, for as long as the caller listens',
      tags: ['Webhooks'],
      parameters: webhook,
      responses: {
        200: { description: 'One event per message', content: { 'text/event-stream': {} } },
        ...usual,
      },
    },
  },
  '/v1/operations/{operationId}/file': {
    get: {
      operationId: 'getExportFile',
      summary: 'The file of an export; whoever knows the id may fetch it, without a key',
      tags: ['Operations'],
      parameters: [text('operationId', 'path', 'UUID of the export', uuid)],
      responses: {
        200: { description: 'Rows, sent as they are read', content: { 'text/csv': {} } },
        ...usual,
      },
    },
  },
}
