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
// A machine that others use too is not as fast in one minute as in the next: each flood is compared
// with the seconds before it.
const pairs = 3
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

const watched: readonly (readonly [path: string, of: 'api' | 'node'])[] = [
  ['/v1/health-check', 'api'],
  ['/v1/live-check', 'api'],
  ['/ext/health', 'node'],
  ['/ext/metrics', 'node'],
]

const child = spawn(
  process.execPath,
  [entry, 'start', '--port', '0', '--node-port', '0', '--data-dir', folder],
  {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, FIRN_CONFIG: 'test/support/processes/two-chains.yaml' },
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
  const rate = await findCapacity(target)
  const rounds: Round[] = []
  while (rounds.length < pairs) rounds.push(await oneRound(target, rate, node))
  const ms = (times: readonly number[], part: number): string => quantile(times, part).toFixed(0)
  console.log(`${name}: capacity ${rate.toFixed(0)}/s`)
  for (const { atCapacity, flood, share } of rounds) {
    const [before, good] = [
      atCapacity.answered.length,
      flood.answered.length + share.answered.length,
    ]
    const slower = quantile(flood.answered, 0.99) / quantile(atCapacity.answered, 0.99)
    console.log(
      `  at capacity        ${(before / seconds).toFixed(0)}/s answered, ` +
        `p50 ${ms(atCapacity.answered, 0.5)} ms, p99 ${ms(atCapacity.answered, 0.99)} ms`,
    )
    console.log(
      `  at 5 x             ${(good / seconds).toFixed(0)}/s answered: ${((good / before) * 100).toFixed(0)} % of it, ` +
        `p50 ${ms(flood.answered, 0.5)} ms, p99 ${ms(flood.answered, 0.99)} ms: ${slower.toFixed(2)} x`,
    )
    console.log(
      `  refused            ${flood.refused.length} of ${flood.sent}, p99 ${ms(flood.refused, 0.99)} ms; failed ${flood.failed}`,
    )
  }
  const share = joined(rounds.map((round) => round.share))
  console.log(
    `  the other address  ${((share.answered.length / share.sent) * 100).toFixed(1)} % of ${share.sent}, ` +
      `p50 ${ms(share.answered, 0.5)} ms, p99 ${ms(share.answered, 0.99)} ms`,
  )
  for (const [at, [path]] of watched.entries()) {
    const { answered, sent } = joined(rounds.flatMap(({ monitors }) => monitors[at] ?? []))
    console.log(
      `  ${path.padEnd(18)} ${answered.length} of ${sent}, p50 ${ms(answered, 0.5)} ms, worst ${ms(answered, 1)} ms`,
    )
  }
}

/** Outcomes at capacity, and right after it of the flood and of all who came beside it. */
type Round = {
  readonly atCapacity: Outcome
  readonly flood: Outcome
  readonly share: Outcome
  /** In the order of {@link watched}. */
  readonly monitors: readonly Outcome[]
}

async function oneRound(target: Target, rate: number, node: URL): Promise<Round> {
  const atCapacity = await arrive({ ...target, rate, seconds })
  const api = new URL(`http://${target.host}:${target.port}`)
  const [flood, share, ...monitors] = await Promise.all([
    arrive({ ...target, rate: rate * 5, seconds }),
    arrive({ ...target, rate: rate / 10, seconds, from: '127.0.0.2' }),
    ...watched.map(([path, of]) => watch(of === 'api' ? api : node, path)),
  ])
  return { atCapacity, flood, share, monitors }
}

type Target = { readonly host: string; readonly port: number; readonly paths: readonly string[] }

/** The highest rate of which 99 % are answered, within 5 %. */
async function findCapacity(target: Target): Promise<number> {
  await arrive({ ...target, rate: 10, seconds: 2 })
  let [low, high] = [0, Number.POSITIVE_INFINITY]
  for (
    let rate = 10;
    high / low > 1.05;
    rate = high === Number.POSITIVE_INFINITY ? low * 1.6 : (low + high) / 2
  ) {
    const outcome = await arrive({ ...target, rate, seconds })
    if (outcome.answered.length >= 0.99 * outcome.sent) low = rate
    else high = rate
    if (high < 1) throw new Error('nothing can be answered')
  }
  return low
}

/** Asks one path five times a second, on a connection of its own each time. */
async function watch(url: URL, path: string): Promise<Outcome> {
  const target = { host: url.hostname, port: Number(url.port), paths: [path] }
  const outcomes: Outcome[] = []
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;)
    outcomes.push(await arrive({ ...target, rate: 5, seconds: 0.2 }))
  return joined(outcomes)
}

function joined(outcomes: readonly Outcome[]): Outcome {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((all, one) => all + of(one), 0)
  const sorted = (of: (outcome: Outcome) => readonly number[]): number[] =>
    outcomes.flatMap(of).toSorted((a, b) => a - b)
  return {
    sent: sum(({ sent }) => sent),
    answered: sorted(({ answered }) => answered),
    refused: sorted(({ refused }) => refused),
    failed: sum(({ failed }) => failed),
  }
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
