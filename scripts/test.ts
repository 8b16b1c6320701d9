/**
 * Runs checks and tests side by side: `node scripts/test.ts [check|unit|answers|running|system|long]
 * [part of a job's name] [--share 2]`. Without a word it runs `check` and `answers`, which is `npm test`: what
 * answers say, in the time that one has before every commit. `running` is how processes keep on running;
 * `system` is both, and what CI runs. A share of 2 is every other job; the commit decides which, so that a run of a commit can be repeated and
 * each job has its turn.
 *
 * A folder of system tests is one process and one job, a large one several; a file that starts processes, and
 * each in `test/long`, is a job by itself. All of them share one PostgreSQL server and stores that are made once
 * (`test/support/stores/made-stores.ts`). `long` is what takes long by nature: processes that are killed, writers
 * that take over, outages that are waited out, defects that are put back. Folders in `ownScripts`
 * need more than a machine with Node has and are run by scripts of their own. A job prints what it
 * said only when it failed; the longest of the last run begin first.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { type PostgresServer, startPostgres } from '../test/support/stores/postgres.ts'
// Takes settings of other scripts out of the environment, which every Firn of a job would refuse.
import '../test/support/processes/test-settings.ts'

/** A job: the command, and whether it needs what system tests share. */
type Job = {
  readonly name: string
  readonly words: readonly string[]
  readonly isSystem?: true
  readonly env?: NodeJS.ProcessEnv
}

// Where answers are held against the documents, the official clients and a node, and that a process starts.
const answers = ['test/clients/', 'test/conformance/', 'test/docs/', 'test/process/start.test.ts']
const ownScripts = ['network', 'fleet', 'browser', 'release', 'soak', 'tools']
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const cache = join(root, 'node_modules', '.cache')
const typesFile = join(cache, 'firn-types.tsbuildinfo')
const timesFile = join(cache, 'firn-test-times.json')
// Ten times what the longest job takes on two quiet cores: machines of tests may be busy.
const jobTimeoutMs = 600_000
// One job more than cores: jobs also wait, for processes, timers and servers.
const jobsAtOnce = availableParallelism() + 1
// What takes longest begins first where no run was timed yet, as on a fresh clone: begun last, one of
// these would run alone.
const longest = [
  'test/long/restarts.test.ts',
  'test/long/cut-chain.test.ts',
  'test/long/chain-shares.test.ts',
  'test/long/frozen-heights.test.ts',
  'test/long/events.test.ts',
  'test/long/crash-ingest.test.ts',
  'test/long/large-blocks.test.ts',
  'test/conformance/evm 1/2',
  'test/conformance/evm 2/2',
  'test/process/command-line.test.ts',
  'test/conformance/primary 1/2',
  'test/conformance/primary 2/2',
  'test/events/events-api.test.ts',
  'test/stores 1/2',
  'test/stores 2/2',
  'test/admin',
]
// The files of a larger folder are several jobs.
const mostFilesAtOnce = 14
// Four times what a run writes.
const roomBytes = 4 * 2 ** 30

// The compiler and the linter are Go programs: a collector that runs a quarter as often saves them a
// third of the processor time, for less than a tenth more memory.
const seldomCollected = { GOGC: process.env['GOGC'] ?? '400' }

const programs: readonly Job[] = [
  {
    name: 'types',
    words: [join(bin, 'tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', typesFile],
  },
  { name: 'types of the explorer', words: [join(bin, 'tsc'), '-p', 'src/explorer/browser'] },
  { name: 'types of its tests', words: [join(bin, 'tsc'), '--noEmit', '-p', 'test/browser'] },
  { name: 'lint', words: [join(bin, 'oxlint')] },
  { name: 'format', words: [join(bin, 'oxfmt'), '--check', '.'] },
  { name: 'tidy', words: [process.execPath, 'scripts/tidy.ts'] },
  {
    name: 'reference pages',
    words: [process.execPath, 'scripts/print-reference.ts', '--check'],
  },
]
const checks = programs.map((job): Job => ({ ...job, env: seldomCollected }))
// One process for each third: a process for each file would start 130 times.
const units: readonly Job[] = ['1/3', '2/3', '3/3'].map((third) => ({
  name: `unit tests ${third}`,
  words: testsOf(`--test-shard=${third}`, 'src/**/*.test.ts'),
}))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '1' } },
})
const [what = 'all', part = ''] = positionals
const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
process.exitCode = await main()

async function main(): Promise<number> {
  const { system, long } = systemJobs()
  const isAnswer = ({ name }: Job): boolean => answers.some((each) => `${name}/`.startsWith(each))
  const jobs = {
    all: [...checks, ...units, ...system.filter(isAnswer)],
    answers: system.filter(isAnswer),
    running: system.filter((job) => !isAnswer(job)),
    check: [...checks, ...units],
    unit: units,
    system,
    long,
  }[what]
  if (jobs === undefined) throw new Error(`there are no jobs of this name: ${what}`)
  const named = jobs.filter(({ name }) => name.includes(part))
  if (named.length === 0) throw new Error(`no job of ${what} has this in its name: ${part}`)
  return runAll(shareOf(named, Number(values.share)))
}

/** Every `share`th of the jobs, begun where the commit says. */
function shareOf(jobs: readonly Job[], share: number): readonly Job[] {
  if (!Number.isSafeInteger(share) || share < 1)
    throw new RangeError(`--share must be a whole number: ${values.share}`)
  if (share === 1) return jobs
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  const first = Number.parseInt(commit.slice(0, 8), 16) % share
  const sorted = jobs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.filter((_, at) => at % share === first)
}

async function runAll(jobs: readonly Job[]): Promise<number> {
  const startedMs = performance.now()
  const times = lastTimes()
  const secondsOf = (name: string): number =>
    times[name] ?? (longest.includes(name) ? longest.length - longest.indexOf(name) : 0)
  const queue = jobs.toSorted((a, b) => secondsOf(b.name) - secondsOf(a.name))
  // What tests leave in their temporary folder goes with it; PostgreSQL runs as another user.
  const folder = mkdtempSync(join(temporaryRoot(), 'firn-tests-'))
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  const stores = join(folder, 'stores')
  mkdirSync(stores)
  const needsServer = jobs.some(({ isSystem }) => isSystem)
  const server: PostgresServer | undefined = needsServer ? await startPostgres() : undefined
  // Last, when the server was told to end.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const shared = { TEST_STORES: stores, TEST_POSTGRES: server?.url }
  const failed: string[] = []
  let tests = 0
  const work = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const { code, output, seconds } = await execute(job, job.isSystem ? shared : {})
      times[job.name] = seconds
      tests += Number(/^ℹ tests (\d+)/m.exec(output)?.[1] ?? 0)
      const skipped = Number(/^ℹ skipped (\d+)/m.exec(output)?.[1] ?? 0)
      const remark = skipped === 0 ? '' : `, ${skipped} skipped`
      if (code === 0) console.log(`✔ ${job.name} (${seconds.toFixed(1)} s${remark})`)
      else console.log(`${output}\n✖ ${job.name} (${seconds.toFixed(1)} s)`)
      if (code !== 0) failed.push(job.name)
    }
  }
  await Promise.all(Array.from({ length: jobsAtOnce }, work))
  await server?.stop()
  mkdirSync(cache, { recursive: true })
  writeFileSync(timesFile, JSON.stringify(times))
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  const ending = failed.length === 0 ? 'all passed' : `failed: ${failed.join(', ')}`
  console.log(`${jobs.length} jobs, ${tests} tests, ${seconds} s; ${ending}`)
  return failed.length === 0 ? 0 : 1
}

type Ended = { readonly code: number; readonly output: string; readonly seconds: number }

function execute(job: Job, more: NodeJS.ProcessEnv): Promise<Ended> {
  const startedMs = performance.now()
  const [program = '', ...words] = job.words
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cache, 'firn-tests'), ...more, ...job.env }
  // A `.cmd` of npm's is a script of the shell on Windows.
  const shell = process.platform === 'win32' && !program.endsWith('.exe')
  const child = spawn(program, words, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: jobTimeoutMs,
    shell,
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => (output += part.toString('utf8')))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, killedBy) => {
      running.delete(child)
      // A process that holds a connection or a timer after its last test says nothing by itself.
      if (killedBy !== null) output += `\nended by ${killedBy}, limit ${jobTimeoutMs / 1_000} s`
      resolve({ code: code ?? 1, output, seconds: (performance.now() - startedMs) / 1_000 })
    })
  })
}

function systemJobs(): { readonly system: readonly Job[]; readonly long: readonly Job[] } {
  const entries = readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .filter((file) => !ownScripts.includes(file.split('/')[1] ?? ''))
  const { system = [], long = [] } = Object.groupBy(files, (file) =>
    folderOf(file) === 'test/long' ? 'long' : 'system',
  )
  return { system: jobsOf(system), long: [...jobsOf(long), ...frozenJobs(system)] }
}

/**
 * Conformance of EVM chains over segments: parts of the history, and all of it. Tests of `verify` change
 * rows of tables; those of kept logs choose their own segments, once.
 */
function frozenJobs(system: readonly string[]): Job[] {
  const files = system.filter((file) => /^test\/conformance\/(?:evm|icm|metrics|nft)\//.test(file))
  const overSegments = (name: string, heights: string, without: RegExp): Job => ({
    name,
    words: testsOf(...files.filter((file) => !without.test(file))),
    isSystem: true,
    env: { TEST_FROZEN: heights },
  })
  return [
    overSegments('conformance, partly frozen', '10,25,60,61,100', /\/verify\.test\.ts$/),
    overSegments('conformance, all frozen', '1000', /\/(?:verify|list-logs)\.test\.ts$/),
  ]
}

function jobsOf(files: readonly string[]): Job[] {
  const jobs = Map.groupBy(files.toSorted(), (file) => {
    const folder = folderOf(file)
    return folder === 'test/long' || startsProcesses(file) ? file : folder
  })
  return [...jobs].flatMap(([name, members]) => {
    const parts = Math.ceil(members.length / mostFilesAtOnce)
    if (parts === 1) return [{ name, words: testsOf(...members), isSystem: true }]
    return Array.from({ length: parts }, (_, at): Job => {
      const part = `${at + 1}/${parts}`
      const words = testsOf(`--test-shard=${part}`, ...members)
      return { name: `${name} ${part}`, words, isSystem: true }
    })
  })
}

/** Such a file may also set variables of its process, which a file beside it would see. */
function startsProcesses(file: string): boolean {
  const text = readFileSync(join(root, file), 'utf8')
  return /firn-process|webhook-firn|child_process|process\.env/.test(text)
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'))
}

function testsOf(...files: readonly string[]): string[] {
  return [process.execPath, '--test', '--test-isolation=none', '--test-reporter=spec', ...files]
}

/**
 * Memory where Linux offers enough of it: stores of tests are small, and a disk makes them wait.
 */
function temporaryRoot(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > roomBytes) return '/dev/shm'
  } catch {
    // Only Linux has it.
  }
  return tmpdir()
}

/** Seconds that jobs took in the last run; an unknown job may be long, and begins first. */
function lastTimes(): Record<string, number> {
  try {
    const times: unknown = JSON.parse(readFileSync(timesFile, 'utf8'))
    return typeof times === 'object' && times !== null ? { ...times } : {}
  } catch {
    return {}
  }
}
