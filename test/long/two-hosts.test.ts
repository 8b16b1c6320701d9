/**
 * Two processes of one deployment, each with a data folder of its own, as on two machines: what one
 * gives out is good at the other.
 */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

import { openRecording } from '../../src/source/recorded/recording.ts'
import {
  freshFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  until,
} from '../support/processes/firn-process.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const recording = new URL('../../demo/chain-51002.firnrec', import.meta.url).pathname
const list = '/v1/chains/51002/transactions?pageSize=2'

type Host = {
  readonly firn: RunningFirn
  readonly data: string
  /** Runs `firn keys …` with the configuration of this host. */
  readonly keys: (...words: readonly string[]) => ReturnType<typeof runFirn>
}

async function startHost(t: TestContext, store: string, role: string): Promise<Host> {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const data = join(folder, 'data')
  await writeFile(
    config,
    `store: '${store}'
dataDir: ${data}
role: ${role}
api:
  keysRequired: true
  tiers: { small: { perMinute: 400, perDay: 4000 } }
node: { apiAdminEnabled: true }
chains: [{ name: Demo L1, recording: ${recording} }]
`,
  )
  const keys: Host['keys'] = (...words) => runFirn('keys', ...words, '--config', config)
  // Before the start: the deployment, not a process, has the keys.
  if (role === 'all') assert.equal((await keys('create', 'first')).code, 0)
  return { firn: await startFirn(t, ['--config', config]), data, keys }
}

void test('two hosts: page tokens, keys, limits and aliases of one are good at the other', async (t) => {
  const store = await newDatabase()
  const one = await startHost(t, store, 'all')
  const two = await startHost(t, store, 'serve')
  const made = await two.keys('create', 'reader', '--per-minute', '10000000')
  assert.equal(made.code, 0, made.stderr)
  const key = { 'x-service-api-key': made.stdout.trim() }
  const ask = (
    host: Host,
    path: string,
    headers: Record<string, string> = key,
  ): Promise<Response> => fetch(`${host.firn.apiUrl}${path}`, { headers })
  const statusAt = async (host: Host, path: string, headers = key): Promise<number> =>
    (await ask(host, path, headers)).status

  for (const host of [one, two])
    await until('the key is good', async () => (await statusAt(host, '/v1/chains')) === 200)
  await until('indexed', async () => (await statusAt(one, `${list}&minHeight=1`)) === 200)
  const answerOf = async (host: Host, path: string): Promise<Record<string, unknown>> => {
    const reply = await ask(host, path)
    const body: unknown = await reply.json()
    assert.equal(reply.status, 200, JSON.stringify(body))
    return Object(body)
  }
  const newest = String(openRecording(readFileSync(recording)).heights.until - 1)
  await until('tokens are named', async () => {
    const { chains } = await answerOf(one, '/status')
    const stages: unknown = Object(Object(chains)[0])['stages']
    const isLive = (stage: unknown): boolean => Object(stage)['state'] === 'live'
    return Array.isArray(stages) && stages.length > 2 && stages.every(isLive)
  })
  for (const host of [one, two])
    await until('it has the whole chain', async () => {
      const { blocks } = await answerOf(host, '/v1/chains/51002/blocks?pageSize=1')
      return Array.isArray(blocks) && Object(blocks[0])['blockNumber'] === newest
    })

  // Health is what the last look found, which may be from before the chain was served.
  await until('health has looked at the store', async () => {
    const health = await fetch(`${one.firn.nodeUrl}/ext/health`)
    const { checks } = Object(await health.json())
    const { engine, stores } = Object(checks.databases.message)
    return engine === 'PostgreSQL' && stores === 1
  })

  // Each page comes from the other host.
  const alone: unknown[] = []
  const inTurns: unknown[] = []
  for (const [hosts, pages] of [
    [[one, one], alone],
    [[one, two], inTurns],
  ] as const) {
    let token = ''
    for (let page = 0; page < 6; page++) {
      const host = hosts[page % 2] ?? one
      const answer = await answerOf(host, `${list}${token}`)
      pages.push(answer['transactions'])
      token = `&pageToken=${String(answer['nextPageToken'])}`
    }
  }
  assert.deepEqual(inTurns, alone)

  // Tokens of both hosts stay good while the key changes.
  const tokenOf = async (host: Host): Promise<string> =>
    `${list}&pageToken=${String((await answerOf(host, list))['nextPageToken'])}`
  const before = await tokenOf(one)
  const rotated = await one.keys('rotate', '--page-tokens')
  assert.equal(rotated.code, 0, rotated.stderr)
  for (const path of [before, await tokenOf(one), await tokenOf(two)])
    for (const host of [one, two]) assert.equal(await statusAt(host, path), 200)

  // A limit is one for both.
  const small = await one.keys('create', 'small', '--tier', 'small')
  const limited = { 'x-service-api-key': small.stdout.trim() }
  await until('known', async () => (await statusAt(two, '/v1/chains', limited)) === 200)
  await until('the second host refuses what the first counted', async () => {
    while ((await statusAt(one, '/v1/chains', limited)) !== 429);
    return (await statusAt(two, '/v1/chains', limited)) === 429
  })
  const id = limited['x-service-api-key'].slice(4, 12)
  assert.equal((await two.keys('revoke', id)).code, 0)
  await until('revoked', async () => (await statusAt(one, '/v1/chains', limited)) === 401)

  // Aliases given at one host are known at the other, and taken away there.
  await admin(one, 'admin.aliasChain', { chain: '51002', alias: 'shop' })
  const named = list.replace('51002', 'shop')
  await until('alias', async () => (await statusAt(two, named)) === 200)
  await admin(two, 'firn.removeAlias', { alias: 'shop' })
  await until('no alias', async () => (await statusAt(one, named)) !== 200)

  for (const { data } of [one, two])
    for (const name of ['api-keys.json', 'page-token.key', 'aliases.json'])
      assert.equal(existsSync(join(data, name)), false, `${name} is in the store`)
  assert.match((await two.keys('list')).stdout, /live.* first\n.*live.* reader\n.*revoked.* small/)
  assert.equal(await two.firn.end(), 0)
  assert.equal(await one.firn.end(), 0)
})

async function admin(host: Host, method: string, params: unknown): Promise<void> {
  const reply = await fetch(`${host.firn.nodeUrl}/ext/admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer: unknown = await reply.json()
  assert.equal(Object(answer).error, undefined, JSON.stringify(answer))
}
