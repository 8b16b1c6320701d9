/** API keys and the key of page tokens as operators handle them: in files, while Firn runs. */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import {
  freshFolder,
  runFirn,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'

const recording = new URL('../../demo/chain-51002.firnrec', import.meta.url).pathname
const chain = `chains: [{ name: Demo L1, recording: ${recording} }]`

void test('keys: a damaged file is one sentence at start, and changes nothing while Firn runs', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const data = join(folder, 'data')
  await writeFile(config, `dataDir: ${data}\napi: { keysRequired: true }\n${chain}\n`)
  const made = await runFirn('keys', 'create', 'shop', '--config', config)
  assert.equal(made.code, 0, made.stderr)
  const file = join(data, 'api-keys.json')
  const good = await readFile(file, 'utf8')
  for (const damaged of [
    '',
    '{',
    good.slice(0, -20),
    '{}',
    '[{}]',
    good.replace(/"digest": "../, '"digest": "'),
  ]) {
    await writeFile(file, damaged)
    const ended = await runFirn('start', '--config', config, '--port', '0', '--node-port', '0')
    assert.equal(ended.code, 4, ended.stderr)
    assert.match(ended.stderr, /^firn: the file of API keys is damaged; .*api-keys\.json$/m)
    assert.doesNotMatch(ended.stderr, /\n {4}at /)
  }
  await writeFile(file, good)
  const firn = await startFirn(t, ['--config', config])
  const headers = { 'x-service-api-key': made.stdout.trim() }
  const status = async (): Promise<number> =>
    (await fetch(`${firn.apiUrl}/v1/chains`, { headers })).status
  assert.equal(await status(), 200)
  await writeFile(file, good.slice(0, 30))
  assert.equal(await status(), 200, 'the keys of before are in force')
  await writeFile(file, good)
  assert.equal((await runFirn('keys', 'revoke', idIn(good), '--config', config)).code, 0)
  assert.equal(await status(), 401)
  assert.equal(await firn.end(), 0)
})

const idIn = (text: string): string => /"id": "(\w{8})"/.exec(text)?.[1] ?? ''

void test('keys: limits count over all processes, each key by its own; 429 tells all', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `dataDir: ${join(folder, 'data')}
api:
  rateLimit: { perMinute: 1000000 }
  tiers: { small: { perMinute: 400, perDay: 4000 } }
  trustProxy: [loopback]
${chain}
`,
  )
  const keys = (...words: readonly string[]): ReturnType<typeof runFirn> =>
    runFirn('keys', ...words, '--config', config)
  assert.equal((await keys('create', 'x', '--tier', 'large')).code, 2)
  assert.equal((await keys('create', 'x', '--per-minute', 'many')).code, 2)
  const made = await keys('create', 'shop', '--tier', 'small')
  assert.equal(made.code, 0, made.stderr)
  assert.match((await keys('list')).stdout, /live {2}tier small {2}never used {2}shop$/m)
  const [first, second] = [
    await startFirn(t, ['--config', config]),
    await startFirn(t, ['--config', config, '--role', 'serve']),
  ]
  await untilLive(first, ['fuji-demo-l1'])
  const headers = { 'x-service-api-key': made.stdout.trim() }
  const ask = (url: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/v1/chains`, { headers: { ...headers, ...more } })
  // A minute may end in between: then the second process answers in the new one.
  await until('the second process refuses what the first counted', async () => {
    while ((await ask(first.apiUrl)).status === 200);
    return (await ask(second.apiUrl)).status === 429
  })
  const refused = await ask(second.apiUrl)
  assert.equal(refused.status, 429)
  assert.equal(refused.headers.get('ratelimit-policy'), '400;w=60, 4000;w=86400')
  for (const name of ['limit', 'remaining', 'reset'])
    assert.match(refused.headers.get(`ratelimit-${name}`) ?? '', /^\d+$/, name)
  assert.equal(refused.headers.get('retry-after'), refused.headers.get('ratelimit-reset'))

  const withoutKey = (address: string): Promise<Response> =>
    fetch(`${second.apiUrl}/v1/chains`, { headers: { 'x-forwarded-for': address } })
  const remaining = async (address: string): Promise<number> =>
    Number((await withoutKey(address)).headers.get('ratelimit-remaining'))
  const before = await remaining('198.51.100.7')
  const other = await remaining('198.51.100.8, 127.0.0.1')
  assert.ok(other >= before, 'another address behind the proxy has a count of its own')
  assert.ok(
    (await remaining('10.0.0.1, 198.51.100.7')) < before,
    'what the caller claims is not read',
  )

  const [id = ''] = (await keys('list')).stdout.split(' ')
  assert.equal((await keys('limit', id, '--per-minute', '100000')).code, 0)
  assert.equal((await ask(second.apiUrl)).status, 200, 'a new limit counts at once')
  await until('the last use is stored', async () =>
    /live {2}100000\/min 144000000\/day {2}used \d{4}-\S+Z {2}shop$/m.test(
      (await keys('list')).stdout,
    ),
  )
  assert.equal(await second.end(), 0)
  assert.equal(await first.end(), 0)
})

void test('keys: page tokens given out before a rotation stay valid, API keys too', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const data = join(folder, 'data')
  await writeFile(config, `dataDir: ${data}\n${chain}\n`)
  const made = await runFirn('keys', 'create', 'shop', '--config', config)
  const firn = await startFirn(t, ['--config', config])
  await untilLive(firn, ['fuji-demo-l1'])
  const list = '/v1/chains/51002/transactions?pageSize=1'
  const tokenOf = async (): Promise<string> => String((await firn.get(list))['nextPageToken'])
  const open = async (token: string): Promise<number> =>
    (await fetch(`${firn.apiUrl}${list}&pageToken=${token}`)).status
  const before = await tokenOf()
  const apiKeys = await readFile(join(data, 'api-keys.json'), 'utf8')
  const rotated = await runFirn('keys', 'rotate', '--page-tokens', '--config', config)
  assert.equal(rotated.code, 0, rotated.stderr)
  const after = await tokenOf()
  assert.deepEqual([await open(before), await open(after)], [200, 200])
  assert.notEqual(Buffer.from(before, 'base64url')[1], Buffer.from(after, 'base64url')[1])
  assert.equal(await readFile(join(data, 'api-keys.json'), 'utf8'), apiKeys)
  const headers = { 'x-service-api-key': made.stdout.trim() }
  assert.equal((await fetch(`${firn.apiUrl}/v1/chains`, { headers })).status, 200)
  assert.equal(await firn.end(), 0)
  assert.equal((await runFirn('keys', 'rotate', '--config', config)).code, 2)
})
