/** Tools for language models, as the official client calls them: over HTTP and over standard input. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import { addressOf, tools } from '../../src/api/mcp/tools.ts'
import { operations } from '../../src/shape/operations/operations.ts'
import {
  atEnd,
  demoFolder,
  entry,
  type RunningFirn,
  startDemo,
  untilDemoServed,
} from '../support/processes/firn-process.ts'

/** JSON of any form: tests look into it freely. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is wrong in it fails the test
type Json = any

const mostCharacters = 6_000
const abi = {
  type: 'function',
  name: 'totalSupply',
  inputs: [],
  outputs: [{ type: 'uint256', name: '' }],
  stateMutability: 'view',
}

/** Inputs of every tool that the demo answers, ids as text and as numbers. */
async function inputsOf({ get }: RunningFirn): Promise<readonly [string, object][]> {
  const first = async (path: string, list: string): Promise<Json> =>
    ((await get(path)) as Json)[list][0]
  const chain = 51_001
  const { txHash, from } = await first(`/v1/chains/${chain}/transactions`, 'transactions')
  const { address: token } = await first(`/v1/chains/${chain}/tokens`, 'tokens')
  const { messageId } = await first('/v1/icm/messages', 'messages')
  const { nodeId } = await first('/v1/networks/fuji/validators', 'validators')
  const primary = '/v1/networks/fuji/blockchains/p-chain/transactions'
  const { txHash: primaryHash } = await first(primary, 'transactions')
  const { address } = from
  const network = 'fuji'
  return [
    ['search', { q: address }],
    ['search', { q: 51_001 }],
    ['list_chains', {}],
    ['get_block', { chain }],
    ['get_block', { chain: String(chain), id: 5 }],
    ['get_block', { chain: 'p-chain', network }],
    ['get_transaction', { chain, hash: txHash, detail: 'logs' }],
    ['get_transaction', { chain: 'p-chain', hash: primaryHash, network }],
    ['get_address', { chain, address }],
    ['list_activity', { chain, address, limit: 25 }],
    ['list_activity', { chain, address, kind: 'tokens', limit: '3' }],
    ['get_token', { chain, address: token }],
    ['get_contract', { chain, address: token }],
    ['read_contract', { chain, address: token, abi: JSON.stringify(abi) }],
    ['list_l1_validators', { network }],
    ['get_validator', { nodeId, network }],
    ['list_messages', {}],
    ['list_messages', { id: messageId }],
    ['get_metric', { chain, metric: 'txCount' }],
  ]
}

void test('mcp: every tool answers in few characters of whole JSON, and names a next one that there is', async (t) => {
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${firn.apiUrl}/mcp`)))
  atEnd(t, () => client.close())
  const listed = (await client.listTools()).tools
  assert.ok(listed.every(({ annotations }) => annotations?.readOnlyHint === true))
  const names = new Set(listed.map(({ name }) => name))
  const inputs = await inputsOf(firn)
  assert.deepEqual(new Set(inputs.map(([name]) => name)), names)
  const answers = new Map<string, string>()
  for (const [name, given] of inputs) {
    const what = `${name} ${JSON.stringify(given)}`
    const { content, isError }: Json = await client.callTool({ name, arguments: { ...given } })
    const [{ text }] = content
    assert.notEqual(isError, true, `${what}: ${text}`)
    assert.ok(text.length <= mostCharacters, `${what}: ${text.length}`)
    const { next }: Json = JSON.parse(text)
    if (next !== undefined) assert.ok(names.has(next.tool) && next.cursor !== '', what)
    answers.set(what, text)
  }
  const page: Json = JSON.parse([...answers].find(([what]) => what.includes('"3"'))?.[1] ?? '')
  const [, given] = inputs.find(([, one]) => 'limit' in one && one.limit === '3') ?? []
  const more: Json = await client.callTool({
    name: 'list_activity',
    arguments: { ...given, cursor: page.next.cursor },
  })
  const hashes = (text: Json): string[] =>
    JSON.parse(text).activity.transactions.map(
      ({ txHash, logIndex }: Json) => `${txHash} ${logIndex}`,
    )
  const before = hashes(JSON.stringify(page))
  assert.equal(before.filter((hash) => hashes(more.content[0].text).includes(hash)).length, 0)

  const unknown: Json = await client.callTool({ name: 'get_block', arguments: { chain: 1 } })
  assert.equal(unknown.isError, true)
  assert.match(unknown.content[0].text, /chain is not served here: 1/)

  const direct = new Client({ name: 'test', version: '1' })
  const args = [entry, 'mcp', '--url', firn.apiUrl]
  await direct.connect(new StdioClientTransport({ command: process.execPath, args }))
  atEnd(t, () => direct.close())
  for (const [name, input] of inputs.slice(0, 6)) {
    const said: Json = await direct.callTool({ name, arguments: { ...input } })
    const answer = JSON.parse(said.content[0].text)
    const { page: _page, next: _next, ...same }: Json = answer
    const {
      page: _other,
      next: _more,
      ...http
    }: Json = JSON.parse(answers.get(`${name} ${JSON.stringify(input)}`) ?? '')
    if (name !== 'list_chains') assert.deepEqual(same, http, name)
  }

  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const ask = async (body: unknown, more: object = {}): Promise<number> =>
    (
      await fetch(`${firn.apiUrl}/mcp`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    ).status
  assert.equal(await ask(call), 200)
  assert.equal(await ask(call, { origin: 'https://evil.example' }), 403)
  const list = await fetch(`${firn.apiUrl}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify([call, call]),
  })
  assert.match(await list.text(), /lists of calls are not taken/)
  const models = await (await fetch(`${firn.apiUrl}/llms.txt`)).text()
  for (const [, path = ''] of models.matchAll(/\]\((\/[^)]+)\)/g))
    assert.equal((await fetch(firn.apiUrl + path, { method: 'HEAD' })).status, 200, path)
  assert.match(models, /\/mcp/)
})

void test('mcp: tools ask only operations that there are, by parameters that these have', () => {
  const known = new Map(Object.values(operations).map((one) => [one.path as string, one]))
  const every = Object.fromEntries(
    tools
      .flatMap(({ inputs }) => Object.keys(inputs))
      .map((name) => [name.replace('?', ''), name === 'abi' || name === 'arguments' ? '[]' : '1']),
  )
  for (const { name, asks, next } of tools) {
    assert.ok(next === undefined || tools.some((one) => one.name === next), name)
    for (const chain of ['1', 'p-chain'])
      for (const { id: _id, ...rest } of [{ ...every, id: undefined }, every] as Json[])
        for (const input of [rest, every])
          for (const question of Object.values(asks({ ...input, chain }))) {
            const contract = known.get(question.of)
            assert.ok(contract, `${name}: ${question.of}`)
            const { path, query } = contract.parameters
            for (const parameter of Object.keys(question.with))
              assert.ok(
                parameter in path.properties || parameter in query.properties,
                `${name}: ${question.of} ${parameter}`,
              )
            assert.ok(!addressOf(question).includes('{'), name)
          }
  }
})
