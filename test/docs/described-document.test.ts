/**
 * The OpenAPI document describes everything: no operation, parameter or field is without a description and
 * an example, and every example is one of its schema.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AvalancheCore } from '@avalanche-sdk/chainkit/core.js'
import { HTTPClient } from '@avalanche-sdk/chainkit/lib/http.js'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

import { describeDocument } from '../../src/api/server/openapi/describe-document.ts'
import { openApiDocument } from '../../src/api/server/openapi/openapi.ts'
import {
  clientCallOf,
  languages,
  type OpenApi,
  operationsOf,
  urlOf,
} from '../../src/explorer/browser/console/api-request.ts'
import { clientCalls } from '../../src/explorer/bundle.ts'
import { readExamples } from '../../src/service/web/docs-files.ts'
import { tags } from '../../src/shape/operations/contract.ts'
import { operations as table } from '../../src/shape/operations/operations.ts'
import type { Json } from '../support/services/evm-service.ts'

const declared = openApiDocument(Object.values(table), 'test')
const document = describeDocument(declared, await readExamples()) as Json
const operations = operationsIn(document)

function operationsIn(of: Json): readonly Json[] {
  return Object.values<Json>(of['paths']).flatMap((item) => Object.values<Json>(item))
}

/** Every schema with its place: components, parameters, bodies and answers, and all inside them. */
function everySchema(of: Json = document): [place: string, schema: Json][] {
  const found: [string, Json][] = []
  const add = (place: string, schema: Json): void => {
    if (schema === undefined || typeof schema !== 'object') return
    found.push([place, schema])
    for (const [name, inner] of Object.entries<Json>(schema['properties'] ?? {}))
      add(`${place}.${name}`, inner)
    for (const inner of Object.values<Json>(schema['patternProperties'] ?? {}))
      add(`${place}.*`, inner)
    for (const inner of [...(schema['allOf'] ?? []), ...(schema['anyOf'] ?? [])]) add(place, inner)
    add(`${place}[]`, schema['items'])
  }
  for (const [id, schema] of Object.entries<Json>(of['components'].schemas)) add(id, schema)
  for (const { operationId, requestBody, responses } of operationsIn(of))
    for (const body of [requestBody, ...Object.values<Json>(responses)])
      for (const { schema } of Object.values<Json>(body?.content ?? {})) add(operationId, schema)
  return found
}

const target = (schema: Json): Json =>
  schema['$ref'] === undefined
    ? schema
    : document['components'].schemas[schema['$ref'].split('/').at(-1)]

/** Returns whether a schema is of a value without members. */
function isLeaf(schema: Json): boolean {
  const { properties, patternProperties, items, allOf = [], anyOf = [] } = target(schema)
  if (properties !== undefined || patternProperties !== undefined) return false
  return items === undefined ? [...allOf, ...anyOf].every(isLeaf) : isLeaf(items)
}

/** Returns whether a field needs no words: a list of described entries, or a name that is all there is to say. */
function saysItself(name: string, { items }: Json): boolean {
  const own = ['name', 'symbol', 'description', 'type', 'kind', 'status', 'value', 'metadata']
  return items !== undefined || own.includes(name)
}

void test('OpenAPI: every operation, parameter and field has a description and an example', () => {
  const lacking: string[] = []
  for (const { operationId: id, ...operation } of operations) {
    if (!operation['description']) lacking.push(`${id}: description`)
    for (const { name, description, example } of operation['parameters'])
      if (!description || example === undefined) lacking.push(`${id}?${name}`)
    const [status, response] =
      Object.entries<Json>(operation['responses']).find(([name]) => name.startsWith('2')) ?? []
    for (const body of [operation['requestBody'], response])
      if (body?.content?.['application/json'] !== undefined)
        if (body.content['application/json'].example === undefined) lacking.push(`${id} ${status}`)
    for (const tag of operation['tags']) if (!(tag in tags)) lacking.push(`tag ${tag}`)
  }
  for (const [status, { content }] of Object.entries<Json>(document['components'].responses))
    if (content['application/json'].example.message === '') lacking.push(`response ${status}`)
  let fields = 0
  for (const [place, { properties = {} }] of everySchema())
    for (const [name, field] of Object.entries<Json>(properties)) {
      fields++
      if (!target(field)['description'] && !saysItself(name, field))
        lacking.push(`${place}.${name}: description`)
      if (isLeaf(field) && target(field)['examples'] === undefined)
        lacking.push(`${place}.${name}: example`)
    }
  assert.deepEqual(lacking, [])
  assert.ok(fields > 1_000 && operations.length > 100, `${fields} fields`)
  assert.deepEqual(document['servers'], [{ url: '/', description: 'This deployment' }])
})

void test('OpenAPI: every example is one of its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'book')
  const checks = new Map<string, ValidateFunction>()
  const problems: string[] = []
  const check = (place: string, schema: Json, value: unknown): void => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"book#/components')
    const validate = checks.get(text) ?? ajv.compile(JSON.parse(text))
    checks.set(text, validate)
    if (!validate(value))
      problems.push(`${place}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`)
  }
  for (const [place, schema] of everySchema())
    for (const value of schema['examples'] ?? []) check(place, schema, value)
  // Also those that give way to a printed one.
  for (const [place, schema] of everySchema(declared as Json))
    for (const value of schema['examples'] ?? []) check(place, schema, value)
  for (const { operationId, parameters } of operationsIn(declared as Json))
    for (const { name, schema } of parameters)
      for (const value of schema.examples ?? []) check(`${operationId}?${name}`, schema, value)
  for (const { operationId, parameters, requestBody, responses } of operations) {
    for (const { name, schema, example } of parameters)
      check(`${operationId}?${name}`, schema, example)
    for (const body of [requestBody, ...Object.values<Json>(responses)]) {
      const media = body?.content?.['application/json']
      if (media?.example !== undefined) check(operationId, media.schema, media.example)
    }
  }
  assert.deepEqual(problems, [])
})

void test('OpenAPI: every heading has operations', () => {
  const unused = Object.keys(tags).filter(
    (tag) => !operations.some((operation) => operation['tags'].includes(tag)),
  )
  assert.deepEqual(unused, [])
})

void test('console: the call of the official client asks what the form asks', async () => {
  const calls = await clientCalls()
  const requests: string[] = []
  const fetcher = (input: Request | string | URL): Promise<Response> => {
    const { method, url } = new Request(input)
    requests.push(`${method} ${url}`)
    return Promise.resolve(Response.json({}, { status: 400 }))
  }
  const client = new AvalancheCore({
    enableTelemetry: false,
    httpClient: new HTTPClient({ fetcher }),
  })
  const serverURL = 'http://firn.test'
  let count = 0
  for (const operation of operationsOf(document as OpenApi)) {
    const values = Object.fromEntries(
      (operation.parameters ?? [])
        .filter((one) => one.required === true || one.name === 'pageSize')
        .map(({ name, example }) => [name, String(example)]),
    )
    const call = clientCallOf(operation, values, calls)
    if (call === undefined) continue
    count++
    const { [call.name]: ask } = (await import(
      `@avalanche-sdk/chainkit/funcs/${call.name}.js`
    )) as Json
    await ask(client, call.parameters, { serverURL, retries: { strategy: 'none' } })
    const { method } = operation
    const url = serverURL + urlOf(operation, values)
    // The client adds its defaults to the request.
    const [sentMethod, sentUrl = ''] = (requests.pop() ?? assert.fail(call.name)).split(' ')
    const [sent, wanted] = [new URL(sentUrl), new URL(url)]
    assert.deepEqual([sentMethod, sent.pathname], [method, wanted.pathname])
    for (const [name, value] of wanted.searchParams)
      assert.equal(sent.searchParams.get(name), value, `${call.name} ${name}`)
    const text = languages['TypeScript SDK']?.({ method, url, body: undefined, call })
    assert.match(text ?? '', new RegExp(`await ${call.name}\\([^]*serverURL: '${serverURL}'`))
  }
  assert.ok(count > 70, `${count} operations`)
})
