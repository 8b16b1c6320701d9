/**
 * Requests nobody should send, over real sockets, to both listeners of a running Firn. Each must
 * get a status below 500 or a 503 that says when to come back, as JSON where it has a body, and the
 * process must live.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { objectOf } from '../src/codec/evm/raw.ts'
import { startFirn, untilLive } from '../test/support/processes/firn-process.ts'
import { drawsOf, type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const million = 1_000_000
const sockets = 8
const answerWithinMs = 30_000
const maxShown = 160
/** Requests of one step. */
const atOnce = 2_000

type Draw = () => number
type Sent = { readonly method: string; readonly path: string; readonly body?: string }

/** Values for parameters: the edges of numbers, ids and text, and names that mean something to us. */
const values = [
  '',
  '0',
  '-1',
  '1',
  '00',
  '1e3',
  '0x',
  '0x0',
  '9007199254740993',
  '18446744073709551616',
  'NaN',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '%00',
  '%ff',
  '%25',
  '%2e%2e',
  '..',
  '%F0%9F%A7%8A',
  '\u202e',
  "'",
  '"',
  ';',
  '<script>',
  '*',
  'a'.repeat(300),
  '0'.repeat(2_000),
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(64)}`,
  'fuji',
  'mainnet',
  'p-chain',
  'x-chain',
  'c-chain',
  '51001',
  '51002',
  'latest',
  'P-fuji1qqqq',
  'NodeID-11111',
  '11111111111111111111111111111111LpoYY',
  ',',
  ',,,',
  '1,1,1',
  '2026-01-01',
  '-0',
  '+1',
  ' 1',
  '1 ',
] as const
const methods = [
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'DELETE',
  'OPTIONS',
] as const
const bodies = [
  '{}',
  '[]',
  'null',
  '1',
  '"x"',
  '{',
  '{"message":"0x"}',
  '{"message":1}',
  '{"__proto__":{}}',
  '{"addresses":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"health.health","params":[]}',
  '{"jsonrpc":"2.0","id":{},"method":"constructor"}',
  '[{"jsonrpc":"2.0"}]',
  `"${'x'.repeat(70_000)}"`,
  '['.repeat(5_000),
] as const
const nodePaths = [
  '/ext/health',
  '/ext/health/readiness',
  '/ext/health/liveness',
  '/ext/metrics',
  '/ext/info',
  '/ext/admin',
  '/ext/bc/C/rpc',
  '/ext/bc/constructor/rpc',
  '/ext/__proto__',
  '/ext/',
  '/',
] as const

/** A million requests to each listener. */
export async function* requests({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const endings: (() => Promise<void>)[] = []
  try {
    const folder = await mkdtemp(join(tmpdir(), 'firn-soak-'))
    endings.push(() => rm(folder, { recursive: true, force: true }))
    const ending = { after: (work: () => Promise<void>) => void endings.push(work) }
    const firn = await startFirn(ending, ['--data-dir', folder])
    await untilLive(firn, ['fuji-demo-chain', 'fuji-demo-l1'])
    const document = objectOf(await firn.get('/openapi.json'), 'document')
    const paths = Object.keys(objectOf(document['paths'], 'paths'))
    const tries = triesOf(million, share)
    for (const [kind, url, asked] of [
      ['fuzzed request, data API', firn.apiUrl, paths],
      ['fuzzed request, node listener', firn.nodeUrl, nodePaths],
    ] as const)
      for (let from = soFar(kind).tries; from < tries; from += atOnce) {
        const count = Math.min(atOnce, tries - from)
        yield [{ kind, ...(await fuzzed(url, { from, count }, (draw) => drawn(draw, asked))) }]
      }
    await firn.get('/v1/health-check')
  } finally {
    for (const end of endings.toReversed()) await end()
  }
}

function drawn(draw: Draw, paths: readonly string[]): Sent {
  const path = pick(paths, draw).replace(/\{\w+\}/g, () => encoded(pick(values, draw), draw))
  const names = ['pageSize', 'pageToken', 'startTimestamp', 'blockTimestamp', 'sortOrder', 'x']
  const query = Array.from({ length: Math.floor(draw() * 4) }, () => {
    const name = draw() < 0.8 ? pick(names, draw) : pick(values, draw)
    return `${encoded(name, draw)}=${encoded(pick(values, draw), draw)}`
  }).join('&')
  const method = pick(methods, draw)
  const sent = { method, path: query === '' ? path : `${path}?${query}` }
  return method === 'POST' || method === 'PUT' ? { ...sent, body: pick(bodies, draw) } : sent
}

/** Mostly as a client would write it, sometimes raw, so that the parser has its share. */
function encoded(value: string, draw: Draw): string {
  const isPlain = /^[!-~]*$/.test(value) && draw() < 0.3
  return isPlain ? value : encodeURIComponent(value)
}

function pick<T>(list: readonly T[], draw: Draw): T {
  const one = list[Math.floor(draw() * list.length)]
  if (one === undefined) throw new Error('an empty list')
  return one
}

/** Sends `count` requests, those after the first `from`. */
async function fuzzed(
  url: string,
  { from, count }: { readonly from: number; readonly count: number },
  make: (draw: Draw) => Sent,
): Promise<Omit<Outcome, 'kind'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets })
  let left = count
  let bad = 0
  let first: string | undefined
  const one = async (seed: number): Promise<void> => {
    const draw = drawsOf(seed)
    while (left-- > 0) {
      const sent = make(draw)
      const problem = await problemOf(agent, url, sent)
      if (problem === undefined) continue
      bad++
      first ??= `${problem}: ${sent.method} ${sent.path} ${sent.body ?? ''}`.slice(0, maxShown)
    }
  }
  await Promise.all(Array.from({ length: sockets }, (_, at) => one(from * sockets + at + 1)))
  agent.destroy()
  return { tries: count, bad, ...(first === undefined ? {} : { first }) }
}

/** What is wrong with the answer; undefined when nothing is. */
function problemOf(agent: Agent, url: string, sent: Sent): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  const { method, path, body } = sent
  return new Promise((resolve) => {
    const headers: Record<string, string> =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(
      { agent, hostname, port, method, path, headers, timeout: answerWithinMs },
      (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part: Buffer) => parts.push(part))
        reply.on('end', () => resolve(wrong(reply.statusCode, reply.headers, Buffer.concat(parts))))
        reply.on('error', (error) => resolve(`the answer broke off: ${error.message}`))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('silent')))
    outgoing.on('error', (error) => resolve(mayClose(error, body) ? undefined : error.message))
    outgoing.end(body)
  })
}

/** A body that is too large is answered before it is read whole, and the socket closed. */
function mayClose(error: Error, body: string | undefined): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return (body?.length ?? 0) > 65_536 && (code === 'EPIPE' || code === 'ECONNRESET')
}

function wrong(
  status: number | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
): string | undefined {
  if (status === undefined) return 'no status'
  const isBusy = status === 503 && headers['retry-after'] !== undefined
  const isUnready = status === 503 && String(headers['content-type']).includes('json')
  if (status >= 500 && !isBusy && !isUnready) return `status ${status}`
  if (body.length === 0 || !String(headers['content-type']).includes('json')) return undefined
  try {
    JSON.parse(body.toString('utf8'))
    return undefined
  } catch {
    return 'not JSON'
  }
}
