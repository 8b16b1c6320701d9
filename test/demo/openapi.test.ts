/** The OpenAPI document: valid by the specification's own schema, and true of every answer. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { answerBook } from '../support/nodes/answer-book.ts'
import { demoFirn } from './demo-firn.ts'

/** A value of each path parameter that some operation of the demo answers with 200. */
const samples: Readonly<Record<string, string>> = {
  chainId: '51002',
  network: 'fuji',
  blockchainId: 'p-chain',
  metric: 'txCount',
  address: '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc',
  blockId: '1',
  tokenId: '1',
  subnetId: '11111111111111111111111111111111LpoYY',
  nodeId: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg',
}

/**
 * Complaints of JSON Schema 2020-12 about the schemas of a document, which the specification's own
 * does not look into.
 */
function schemaProblems(document: unknown): string[] {
  const ajv = new Ajv2020({ strict: false })
  const problems: string[] = []
  const look = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      const isSchema = name === 'schema' || place === '/components/schemas'
      if (isSchema && ajv.validateSchema(inner) !== true)
        problems.push(`${place}/${name}: ${ajv.errorsText()}`)
      look(inner, `${place}/${name}`)
    }
  }
  look(document, '')
  return problems
}

void test('OpenAPI: a type that JSON Schema does not know is found', () => {
  const schema = { type: 'object', properties: { a: { type: 'void' } } }
  const content = { 'application/json': { schema: { type: 'void' } } }
  const found = schemaProblems({
    paths: { '/a': { content } },
    components: { schemas: { A: schema } },
  })
  assert.equal(found.length, 2, found.join())
})

void test('OpenAPI: the document is valid, and every answer of the demo is in it', async () => {
  const firn = await demoFirn()
  const document = (await (await fetch(`${firn.apiUrl}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors, undefined, 1))
  assert.deepEqual(schemaProblems(document), [])
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => (operation as { operationId: string }).operationId),
  )
  assert.equal(new Set(ids).size, ids.length, 'operation ids are unique')
  for (const path of ['/v1/webhooks/{id}/events'])
    assert.ok(document.paths[path] !== undefined, path)

  const book = answerBook(document)
  const problems: string[] = []
  const statuses = new Map<number, number>()
  const ask = async (method: string, path: string, init: RequestInit = {}): Promise<void> => {
    const reply = await fetch(firn.apiUrl + path, { ...init, method })
    const answer = {
      method,
      path,
      status: reply.status,
      contentType: reply.headers.get('content-type'),
    }
    const problem = book.problemOf({ ...answer, body: await reply.text() })
    if (problem !== undefined) problems.push(problem)
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
  }
  const agents = ['', 'speakeasy-sdk/typescript 0.3.13 2.0.0 0.0.1 @avalanche-sdk/chainkit']
  for (const [path, item] of Object.entries(document.paths)) {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => samples[name] ?? 'none')
    for (const method of Object.keys(item).map((name) => name.toUpperCase())) {
      for (const agent of agents) {
        const headers = { 'user-agent': agent }
        await ask(method, `${filled}?pageSize=2&addresses=none`, { headers })
        await ask(method, filled, { headers })
        await ask(method, `${filled}?pageSize=-1&network=x&sortOrder=x&pageToken=x`, { headers })
        if (method === 'POST') {
          const json = { ...headers, 'content-type': 'application/json' }
          for (const body of ['{', '[]', '{"addresses":["x"],"message":"00"}', 'x'.repeat(600_000)])
            await ask(method, filled, { headers: json, body })
          await ask(method, filled, { headers: { 'content-type': 'text/xml' }, body: '<a/>' })
        }
      }
      await ask('HEAD', filled)
      await ask('DELETE', filled)
      await ask(method, filled.replace(/\/[^/]*$/, `/${'a'.repeat(3_000)}`))
    }
  }
  assert.deepEqual(problems, [])
  for (const status of [200, 400, 404, 405, 413, 415])
    assert.ok((statuses.get(status) ?? 0) > 0, `${status} never came`)
})
