/**
 * Long texts in every place where a caller may write one, to both listeners of a running Firn: each is answered
 * within a limit of processor time, and none is a defect (500).
 */

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

import {
  demoFolder,
  freshFolder,
  type RunningFirn,
  startDemo,
  untilDemoServed,
} from '../support/processes/firn-process.ts'
import { solcVersion } from '../support/services/contract-service.ts'

/** Of one request; a body of megabytes is parsed and read within it on a slow machine. */
const limitSeconds = 1
const perTick = 0.01

const patterns = ['1', '1.', 'a', ' ', ',(', '[1]', '0x'] as const
const textOf = (pattern: string, length: number): string =>
  pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length)

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly example?: string | number | boolean
}
type Described = {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: object; example?: unknown }>>
  }
}

/** Seconds of a processor that the one child of this process has used. */
function cpuSeconds(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim()
  const fields = readFileSync(`/proc/${children.split(' ')[0]}/stat`, 'utf8').split(') ')[1]
  const [user, system] = fields?.split(' ').slice(11, 13).map(Number) ?? []
  return ((user ?? 0) + (system ?? 0)) * perTick
}

type Sent = { readonly url: string; readonly body?: string; readonly type?: string }

/** Sends and gives what is wrong with the answer, if anything is. */
async function problemOf({ url, body, type = 'application/json' }: Sent): Promise<string[]> {
  const before = cpuSeconds()
  const reply = await fetch(
    url,
    body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body },
  ).catch((error: unknown) => error)
  // A body that is too long is refused before all of it is read.
  if (!(reply instanceof Response)) return (body?.length ?? 0) > 60_000 ? [] : [String(reply)]
  await reply.text()
  const seconds = cpuSeconds() - before
  const what = `${url.slice(0, 120)} ${body?.slice(0, 80) ?? ''} (${url.length + (body?.length ?? 0)})`
  return [
    ...(seconds > limitSeconds ? [`${seconds} s: ${what}`] : []),
    ...(reply.status === 500 ? [`500: ${what}`] : []),
  ]
}

/** What is wrong in the end: a machine of tests may be busy, so what was slow is sent again. */
async function problemsOf(all: Iterable<Sent>): Promise<string[]> {
  const problems: string[] = []
  for (const sent of all)
    if ((await problemOf(sent)).length > 0) problems.push(...(await problemOf(sent)))
  return problems
}

/** A URL of an operation with its examples, and `long` in one of its parameters. */
function urlOf(
  { base, path }: { readonly base: string; readonly path: string },
  parameters: readonly Parameter[],
  long?: { readonly name: string; readonly text: string },
): string {
  const value = ({ name, example }: Parameter): string =>
    encodeURIComponent(name === long?.name ? long.text : String(example ?? '1'))
  const filled = parameters
    .filter((one) => one.in === 'path')
    .reduce((text, one) => text.replace(`{${one.name}}`, value(one)), path)
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required === true || one.name === long?.name))
    .map((one) => `${one.name}=${value(one)}`)
  return `${base}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
}

/** Bodies with `text` in each place where the example has text, and lists and objects in each other. */
function* bodiesOf(example: unknown, text: string): Generator<unknown> {
  if (typeof example !== 'object' || example === null) {
    yield text
    return
  }
  for (const [name, inner] of Object.entries(example)) {
    const whole = (value: unknown): unknown =>
      Array.isArray(example)
        ? example.map((one, at) => (String(at) === name ? value : one))
        : { ...example, [name]: value }
    for (const long of bodiesOf(inner, text)) yield whole(long)
  }
  yield text
  yield Array.isArray(example) ? [text, text] : { ...example, [text.slice(0, 9_000)]: text }
}

function* ofOperations(firn: RunningFirn, document: object): Generator<Sent> {
  const paths = Object.entries(Reflect.get(document, 'paths') as object)
  for (const [path, methods] of paths)
    for (const [method, described] of Object.entries(methods as Record<string, Described>)) {
      const { parameters = [], requestBody } = described
      const place = { base: firn.apiUrl, path }
      for (const pattern of patterns) {
        // A URL has 16 KiB, and what is escaped takes three times its length.
        const text = textOf(pattern, /^[\w.:-]*$/.test(pattern) ? 14_000 : 4_500)
        if (method === 'get')
          for (const { name, in: where } of parameters) {
            const short = where === 'path' ? text.slice(0, 600) : text
            yield { url: urlOf(place, parameters, { name, text: short }) }
          }
        const content = requestBody?.content['application/json']
        if (method !== 'post' || content === undefined) continue
        for (const length of [400_000])
          for (const body of bodiesOf(content.example ?? {}, textOf(pattern, length)))
            yield { url: urlOf(place, parameters), body: JSON.stringify(body) }
      }
    }
}

/** A contract of the demo, for what is compiled. */
async function contractOf(firn: RunningFirn): Promise<{ chainId: string; address: string }> {
  const { chains } = (await firn.get('/v1/chains')) as { chains: { chainId: string }[] }
  for (const { chainId } of chains) {
    const { contracts } = await firn.get(`/v1/chains/${chainId}/contracts?verified=true`)
    const [first] = contracts as { address: string }[]
    if (first !== undefined) return { chainId, address: first.address }
  }
  throw new Error('the demo has no verified contract')
}

function* ofVerification(
  firn: RunningFirn,
  of: Awaited<ReturnType<typeof contractOf>>,
): Generator<Sent> {
  const { chainId, address } = of
  const input = {
    language: 'Solidity',
    sources: { 'a.sol': { content: 'contract A {}' } },
    settings: { a: 1 },
  }
  const form = {
    module: 'contract',
    action: 'verifysourcecode',
    contractaddress: address,
    sourceCode: 'contract A {}',
    codeformat: 'solidity-single-file',
    contractname: 'A',
    // None is compiled: it is not the compiler's time that counts.
    compilerversion: 'v0.0.1',
    optimizationUsed: '1',
    runs: '200',
    evmversion: 'paris',
    constructorArguements: '00',
    libraryname1: 'A',
    libraryaddress1: address,
    guid: 'a',
  }
  for (const pattern of patterns)
    for (const length of [200_000]) {
      const text = textOf(pattern, length)
      for (const [name, value] of Object.entries({
        compilerVersion: '0.0.1',
        contractIdentifier: 'a.sol:A',
        stdJsonInput: input,
      }))
        for (const long of bodiesOf(value, text))
          yield {
            url: `${firn.apiUrl}/v2/verify/${chainId}/${address}`,
            body: JSON.stringify({
              stdJsonInput: input,
              compilerVersion: '0.0.1',
              contractIdentifier: 'a.sol:A',
              [name]: long,
            }),
          }
      for (const name of Object.keys(form))
        yield {
          url: `${firn.apiUrl}/v1/chains/${chainId}/api`,
          type: 'application/x-www-form-urlencoded',
          body: new URLSearchParams({ ...form, [name]: text }).toString(),
        }
    }
  const abi = { type: 'function', name: 'a', inputs: [], outputs: [] }
  for (const type of [
    'uint99999999999999999999',
    'uint999',
    'bytes33',
    `uint256${'[1]'.repeat(3_000)}`,
  ])
    yield {
      url: `${firn.apiUrl}/v1/chains/${chainId}/contracts/${address}/calls`,
      body: JSON.stringify({ calls: [{ abi: { ...abi, outputs: [{ name: 'a', type }] } }] }),
    }
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const nested = JSON.stringify(input).replace('{"a":1}', `{"a":${deep}}`)
  yield {
    url: `${firn.apiUrl}/v2/verify/${chainId}/${address}`,
    body: `{"compilerVersion":"${solcVersion}","contractIdentifier":"A","stdJsonInput":${nested}}`,
  }
  yield {
    url: `${firn.apiUrl}/v1/chains/${chainId}/api`,
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({
      ...form,
      codeformat: 'solidity-standard-json-input',
      sourceCode: nested,
    }).toString(),
  }
}

function* ofRpc(firn: RunningFirn, chainId: string): Generator<Sent> {
  const urls = [
    `${firn.apiUrl}/v1/chains/${chainId}/rpc`,
    ...['admin', 'info', 'bc/C/rpc', 'bc/P'].map((path) => `${firn.nodeUrl}/ext/${path}`),
  ]
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_call',
    params: [{ to: '0x00', data: '0x' }, 'latest'],
  }
  for (const url of urls) {
    for (const pattern of patterns)
      for (const body of bodiesOf(call, textOf(pattern, 400_000)))
        yield { url, body: JSON.stringify(body) }
    yield {
      url,
      body: JSON.stringify(call).replace('"latest"', '['.repeat(60_000) + ']'.repeat(60_000)),
    }
  }
}

void test('long texts: no request takes a second of a processor, and none is a defect', async (t) => {
  const folder = await freshFolder(t)
  const compiler = createRequire(import.meta.url).resolve('solc/soljson.js')
  copyFileSync(compiler, join(folder, `soljson-v${solcVersion}.js`))
  process.env['FIRN_CONTRACTS_COMPILERS'] = folder
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const contract = await contractOf(firn)
  const document = await firn.get('/openapi.json')
  let count = 0
  const counted = function* (all: Iterable<Sent>): Generator<Sent> {
    for (const one of all) {
      count++
      yield one
    }
  }
  const all = [
    ofVerification(firn, contract),
    ofRpc(firn, contract.chainId),
    ofOperations(firn, document),
  ]
  const problems: string[] = []
  for (const some of all) problems.push(...(await problemsOf(counted(some))))
  assert.deepEqual(problems, [])
  assert.ok(count > 5_000, `${count} requests`)
})
