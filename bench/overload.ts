/**
 * A running Firn at five times of what it can answer, by the generator that found what it can.
 *
 *     node bench/overload.ts [seconds a step]
 *
 * Beside the flood, which comes from 127.0.0.1: a caller from 127.0.0.2 at a tenth of the capacity,
 * and monitors that ask health on both listeners, each on new connections.
 */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { arrive, quantile, type Outcome } from './overload-load.ts'

const seconds = Number(process.argv[2] ?? 6)
const entry = fileURLToPath(new URL('../bin/firn.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))

const subjects: readonly (readonly [string, readonly string[]])[] = [
  [
    'X-Chain transactions, 100 a page',
    ['/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=100'],
  ],
  [
    'lists of every kind',
    [
      '/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100',
      '/v1/networks/fuji/validators?pageSize=100',
      '/v1/chains/51001/transactions?pageSize=100',
      '/v1/chains/51001/blocks?pageSize=100',
      '/v1/icm/messages?pageSize=50',
      '/v2/chains/51001/metrics/txCount?timeInterval=day&pageSize=100',
    ],
  ],
]

const child = spawn(
  process.execPath,
  [entry, 'start', '--port', '0', '--node-port', '0', '--data-dir', folder],
  {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, FIRN_CONFIG: 'test/two-chains.yaml' },
  },
)
try {
  const { api, node } = await listening()
  await live(api)
  for (const [name, paths] of subjects) await measure(name, paths, api, node)
} finally {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
}

async function measure(name: string, paths: readonly string[], api: URL, node: URL): Promise<void> {
  const target = { host: api.hostname, port: Number(api.port), paths }
  const { rate: capacity, outcome: atCapacity } = await findCapacity(target)
  const p99 = quantile(atCapacity.answered, 0.99)
  const [flood, share, ...monitors] = await Promise.all([
    arrive({ ...target, rate: capacity * 5, seconds: seconds * 2 }),
    arrive({ ...target, rate: capacity / 10, seconds: seconds * 2, from: '127.0.0.2' }),
    watch(api, '/v1/health-check'),
    watch(api, '/v1/live-check'),
    watch(node, '/ext/health'),
    watch(node, '/ext/metrics'),
  ])
  const good = (flood.answered.length + share.answered.length) / (seconds * 2)
  const ms = (times: readonly number[], part: number): string => quantile(times, part).toFixed(0)
  console.log(name)
  console.log(
    `  capacity           ${capacity.toFixed(0)}/s, p50 ${ms(atCapacity.answered, 0.5)} ms, p99 ${p99.toFixed(0)} ms`,
  )
  console.log(
    `  at 5 x             ${good.toFixed(0)}/s answered: ${((good / capacity) * 100).toFixed(0)} % of it, ` +
      `p50 ${ms(flood.answered, 0.5)} ms, p99 ${ms(flood.answered, 0.99)} ms: ${(quantile(flood.answered, 0.99) / p99).toFixed(2)} x`,
  )
  console.log(
    `  refused            ${flood.refused.length} of ${flood.sent}, p99 ${ms(flood.refused, 0.99)} ms; failed ${flood.failed}`,
  )
  console.log(
    `  the other address  ${((share.answered.length / share.sent) * 100).toFixed(1)} % of ${share.sent}, ` +
      `p50 ${ms(share.answered, 0.5)} ms, p99 ${ms(share.answered, 0.99)} ms`,
  )
  for (const [path, { answered, sent }] of monitors)
    console.log(
      `  ${path.padEnd(18)} ${answered.length} of ${sent}, p50 ${ms(answered, 0.5)} ms, worst ${ms(answered, 1)} ms`,
    )
}

type Target = { readonly host: string; readonly port: number; readonly paths: readonly string[] }

/** The highest rate of which 99 % are answered, within 5 %. */
async function findCapacity(target: Target): Promise<{ rate: number; outcome: Outcome }> {
  await arrive({ ...target, rate: 10, seconds: 2 })
  let [low, high] = [0, Number.POSITIVE_INFINITY]
  let best: { rate: number; outcome: Outcome } | undefined
  for (
    let rate = 10;
    high / low > 1.05;
    rate = high === Number.POSITIVE_INFINITY ? low * 1.6 : (low + high) / 2
  ) {
    const outcome = await arrive({ ...target, rate, seconds })
    if (outcome.answered.length >= 0.99 * outcome.sent) {
      best = { rate, outcome }
      low = rate
    } else high = rate
    if (high < 1) throw new Error('nothing can be answered')
  }
  if (best === undefined) throw new Error('nothing was answered')
  return best
}

/** Asks one path five times a second, on a connection of its own each time. */
async function watch(url: URL, path: string): Promise<readonly [string, Outcome]> {
  const target = { host: url.hostname, port: Number(url.port), paths: [path] }
  const sum = { sent: 0, answered: [] as number[], refused: [] as number[], failed: 0 }
  for (const end = performance.now() + seconds * 2_000; performance.now() < end;) {
    const { sent, answered, refused, failed } = await arrive({ ...target, rate: 5, seconds: 0.2 })
    sum.sent += sent
    sum.answered.push(...answered)
    sum.refused.push(...refused)
    sum.failed += failed
  }
  sum.answered.sort((a, b) => a - b)
  return [path, sum]
}

/** Where it listens, once it says so. */
function listening(): Promise<{ api: URL; node: URL }> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (problem: string) => (): void => reject(new Error(`${problem}: ${output}`))
    const late = setTimeout(fail('not listening in time'), 60_000)
    child.once('exit', fail('ended'))
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      const api = /API and explorer +(\S+)/.exec(output)?.[1]
      const node = /node listener +(\S+)\/ext/.exec(output)?.[1]
      if (api === undefined || node === undefined) return
      clearTimeout(late)
      resolve({ api: new URL(api), node: new URL(node) })
    })
  })
}

async function live(api: URL): Promise<void> {
  for (;;) {
    const reply = await fetch(new URL('/status', api))
    const { chains }: { chains: { state: string }[] } = JSON.parse(await reply.text())
    if (chains.length >= 3 && chains.every(({ state }) => state === 'live')) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
