/**
 * Tests that break something on purpose, round after round: processes killed, disks filled, servers
 * away, bits flipped, sockets misused. Moments come from the round's number where they are drawn.
 */

import { spawn } from 'node:child_process'

import { type Outcome, type SoakPlan, type Step, triesOf } from './report.ts'

const roundsEach = 20

/** Test files of each kind, after `|` part of the names of the tests that are meant. */
const kinds: Readonly<Record<string, string>> = {
  'kill -9 of a backfill, both engines': 'test/long/crash-ingest.test.ts',
  'a write that fails, at every write': 'test/indexing/failing-ingest.test.ts',
  'disk full, database away, lease lost': 'test/stores/*.test.ts',
  'flipped bits, found and mended': 'test/long/{sums,repair}.test.ts|flipped bits',
  'history frozen at every height': 'test/long/frozen-heights.test.ts',
  'damage told and mended by commands': 'test/long/verify-stores.test.ts',
  'writers replaced at steps of their work on history': 'test/stores/replaced-writer.test.ts',
  'a server that lost the last commits': 'test/stores/lost-commits.test.ts',
  'files of history missing, swapped, altered': 'test/stores/damaged-segments.test.ts',
  'a slow holder of a lease, a gone one, one with a bug': 'test/stores/lease.test.ts',
  'contracts whose calls fail, in the words of every node': 'test/nodes/failing-contracts.test.ts',
  'sources and codes altered, none of them proved': 'src/contracts/verify.test.ts',
  'bombs for compilers': 'test/long/contracts.test.ts|bomb',
  'peers that disagree, stand still or come late': 'test/peers/{agreement,addresses}.test.ts',
  'long texts of callers': 'test/process/long-texts.test.ts',
  'pipelining and slow clients': 'test/server/connection-limits.test.ts',
  'overload, callers who leave': 'test/server/overload.test.ts',
  'node away, restarted, not ready':
    'test/{nodes/node-restarts,server/not-ready,nodes/bad-nodes}.test.ts',
  'kill -9 of a running service': 'test/long/restarts.test.ts',
  'hostile P, X and C nodes, with and without Index API': 'test/long/lying-primary-node.test.ts',
  'a wrong newest block of P and X, stored and taken back': 'test/long/wrong-heads.test.ts',
  'answers of a node at request time': 'test/nodes/request-answers.test.ts',
  'receipts and batches refused, every code in every way': 'test/nodes/bad-nodes.test.ts|refused',
  'forged interchain messages': 'test/nodes/forged-messages.test.ts',
  'tokens: rebased, with a fee, taken without a log': 'test/long/tokens.test.ts|rebased',
  'tokens: destroyed and made again': 'test/long/tokens.test.ts|destroyed',
  'tokens: renamed, behind proxies and beacons': 'test/long/tokens.test.ts|another name',
  'tokens: forms of events, wrapped coins, long batches':
    'test/long/tokens.test.ts|forms of events',
  'downloads without end, zipped, dripping': 'test/long/downloads.test.ts',
  'readers who do not read': 'test/server/connection-limits.test.ts|slow reader',
  'validators that misbehave': 'test/long/warp-peers.test.ts',
}

/** Every kind in rounds; a try is one test of a round. */
export async function* rounds({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const count = triesOf(roundsEach, share)
  const nextOf = (kind: string): number => soFar(kind).next ?? 0
  // Round after round, so that a run that ends early has tried something of each kind.
  for (let round = 0; round < count; round++)
    for (const [kind, tests] of Object.entries(kinds)) {
      if (nextOf(kind) > round) continue
      const { passed, failed } = await ran(tests, { TEST_SOAK_ROUND: String(round) })
      const found = { kind, tries: passed + failed, bad: failed, next: round + 1 }
      yield [
        failed === 0
          ? found
          : { ...found, first: `TEST_SOAK_ROUND=${round} node --test "${tests}"` },
      ]
    }
}

const networkMinutes = 30
const versionsMinutes = 10

/** One run of a real network: as many minutes of its life as the share of half an hour has. */
export async function* network({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const minutes = triesOf(networkMinutes, share)
  const kind = `a real network for ${minutes} minutes more`
  if (soFar(kind).tries > 0) return
  yield [
    await onceFor(kind, 'test/network/*.network.ts', { TEST_NETWORK_MINUTES: String(minutes) }),
  ]
}

/** One run of two versions beside each other: as many minutes as the share of ten has. */
export async function* versions({ share, soFar }: SoakPlan): AsyncGenerator<Step> {
  const minutes = triesOf(versionsMinutes, share)
  const kind = `two versions beside each other for ${minutes} minutes`
  if (soFar(kind).tries > 0) return
  const TEST_TWO_VERSIONS_SECONDS = String(60 * minutes)
  yield [await onceFor(kind, 'test/release/two-versions.release.ts', { TEST_TWO_VERSIONS_SECONDS })]
}

async function onceFor(
  kind: string,
  tests: string,
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { passed, failed } = await ran(tests, environment)
  return { kind, tries: passed + failed, bad: failed }
}

/** Runs test files, or `files|part of names`; gives how many tests passed and failed. Throws when none ran. */
export async function ran(
  tests: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const [files = '', name = ''] = tests.split('|')
  const chosen = name === '' ? [] : [`--test-name-pattern=${name}`]
  const words = ['--test', '--test-concurrency=1', '--test-reporter=tap', ...chosen, files]
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  for await (const part of child.stdout) output = `${output}${part}`.slice(-10_000)
  const passed = countOf('pass', output)
  const failed = countOf('fail', output) + countOf('cancelled', output)
  if (failed > 0) console.error(output)
  if (passed + failed === 0) throw new Error(`no test ran: ${tests}`)
  return { passed, failed }
}

function countOf(what: string, output: string): number {
  return Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
}
