import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'

import { Profile } from 'pprof-format'

import { createSemaphore } from '../../src/telemetry/threads/semaphore.ts'
import { freshFolder, startHarness } from './harness.ts'
import { hotInMain, knownAllocator } from './hot-functions.ts'

const { folder, remove } = await freshFolder()
const harness = await startHarness({ folder })
const link = harness.threads.open('index C')
const worker = new Worker(new URL('./thread-worker.ts', import.meta.url), {
  workerData: { link },
  transferList: [link.port],
})
await once(worker, 'online')
after(async () => {
  await worker.terminate()
  await harness.close()
  await remove()
})

const file = (name: string): string => join(folder, 'profiles', name)

type Row = {
  functions: string[]
  files: string[]
  values: number[]
  labels: Record<string, string>
}
type Read = { kinds: string[]; rows: Row[]; comments: string[]; period: number; durationMs: number }

/** Reads a profile by the library that writes it; what Go reads is a test of its own. */
function read(name: string): Read {
  const profile = Profile.decode(gunzipSync(readFileSync(file(name))))
  const text = (at: number | bigint): string => profile.stringTable.strings[Number(at)] ?? ''
  const functions = new Map(profile.function.map((each) => [String(each.id), each]))
  const locations = new Map(profile.location.map((each) => [String(each.id), each]))
  const rows = profile.sample.map((sample) => {
    const places = sample.locationId.map((id) => {
      const line = locations.get(String(id))?.line[0]
      return functions.get(String(line?.functionId))
    })
    return {
      functions: places.map((place) => text(place?.name ?? 0)),
      files: places.map((place) => text(place?.filename ?? 0)),
      values: sample.value.map(Number),
      labels: Object.fromEntries(sample.label.map((label) => [text(label.key), text(label.str)])),
    }
  })
  return {
    kinds: profile.sampleType.map((kind) => `${text(kind.type)}/${text(kind.unit)}`),
    rows,
    comments: profile.comment.map(text),
    period: Number(profile.period),
    durationMs: Number(profile.durationNanos) / 1e6,
  }
}

function sum(rows: readonly Row[], at: number): number {
  return rows.reduce((total, row) => total + (row.values[at] ?? 0), 0)
}

const within = (rows: readonly Row[], name: string): Row[] =>
  rows.filter((row) => row.functions.includes(name))

/** A sampled size: some fifty samples, and lists may have been grown on the way. */
const isAbout = (size: number, real: number): boolean => size > real / 2 && size < real * 3

async function inWorker(what: string, ms = 0): Promise<void> {
  worker.postMessage({ what, ms })
  await once(worker, 'message')
}

void test('cpu profile: a known hot function is on top, in every thread, for the time it ran', async () => {
  assert.deepEqual((await harness.call('admin.startCPUProfiler')).result, {})
  assert.equal(statSync(file('cpu.profile')).size, 0, 'there from the start, empty')
  const began = performance.now()
  const inThread = inWorker('burn', 400)
  hotInMain(400)
  const busyMs = performance.now() - began
  await inThread
  assert.deepEqual((await harness.call('admin.stopCPUProfiler')).result, {})
  const { kinds, rows, period, durationMs } = read('cpu.profile')
  assert.deepEqual(kinds, ['samples/count', 'cpu/nanoseconds'])
  assert.equal(period, 10_000_000)
  assert.ok(durationMs >= busyMs)
  const main = rows.filter(({ labels }) => labels['thread'] === 'main')
  const thread = rows.filter(({ labels }) => labels['thread'] === 'index C')
  const hot = sum(within(main, 'hotInMain'), 1) / 1e6
  assert.ok(Math.abs(hot - busyMs) <= 0.15 * busyMs + 20, `${hot} ms of ${busyMs} ms`)
  assert.ok(hot >= 0.7 * (sum(main, 1) / 1e6), 'most of what the main thread did')
  const hotThread = sum(within(thread, 'hotInWorker'), 1) / 1e6
  assert.ok(hotThread >= 280 && hotThread <= 600, `${hotThread} ms of 400 ms`)
  assert.ok(within(main, 'hotInMain')[0]?.files.some((name) => name.endsWith('hot-functions.ts')))
  for (const row of rows) assert.ok(!row.functions.includes('(idle)'))
})

void test('cpu profile: a second one is a fresh one', async () => {
  await harness.call('admin.startCPUProfiler')
  await harness.call('admin.stopCPUProfiler')
  assert.equal(within(read('cpu.profile').rows, 'hotInMain').length, 0)
})

void test('heap profile: a known allocator is visible with about what it holds', async () => {
  await harness.call('admin.memoryProfile')
  const before = sum(within(read('mem.profile').rows, 'knownAllocator'), 1)
  const held = knownAllocator(32_000_000)
  await inWorker('hold')
  await harness.call('admin.memoryProfile')
  const { kinds, rows, period, comments } = read('mem.profile')
  assert.deepEqual(kinds, ['inuse_objects/count', 'inuse_space/bytes'])
  assert.equal(period, 524_288)
  const ofMain = rows.filter(({ labels }) => labels['thread'] === 'main')
  const grown = sum(within(ofMain, 'knownAllocator'), 1) - before
  assert.ok(isAbout(grown, 32_000_000), `${grown} of 32,000,000 bytes`)
  assert.ok(held.length > 0)
  const ofThread = rows.filter(({ labels }) => labels['thread'] === 'index C')
  const inThread = sum(within(ofThread, 'knownAllocator'), 1)
  assert.ok(isAbout(inThread, 24_000_000), `${inThread} of 24,000,000 bytes`)
  assert.ok(rows.some(({ functions }) => functions[0]?.startsWith('(') === true))
  assert.deepEqual(comments, ['inuse_objects is estimated from sampled bytes'])
})

void test('lock profile: ten waiters behind 20 ms holders add up to what they waited', async () => {
  const lock = createSemaphore({ name: 'test lock', permits: 1, waits: harness.waits })
  async function slowHolder(): Promise<void> {
    await lock.run(() => sleep(20))
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: 11 }, slowHolder))
  const wholeMs = performance.now() - began
  await inWorker('wait', 30)
  await harness.call('admin.lockProfile')
  const { kinds, rows, comments } = read('lock.profile')
  assert.deepEqual(kinds, ['contentions/count', 'delay/nanoseconds'])
  const mine = rows.filter(({ labels }) => labels['lock'] === 'test lock')
  assert.equal(sum(mine, 0), 10)
  const delayMs = sum(mine, 1) / 1e6
  // 20 + 40 + … + 200 ms; each turn takes at least its 20 ms, less the grain of a timer.
  assert.ok(delayMs >= 1_000 && delayMs <= 10 * wholeMs, `${delayMs} ms`)
  assert.ok(mine.some(({ functions }) => functions.some((name) => name.includes('slowHolder'))))
  const inThread = rows.filter(({ labels }) => labels['lock'] === 'worker queue')
  assert.equal(inThread[0]?.labels['thread'], 'index C')
  assert.ok(sum(inThread, 1) >= 29e6)
  assert.ok(comments.some((remark) => remark.startsWith('event loop delay')))
})

void test('profiles: go tool pprof opens them and names the functions', (t) => {
  // Where Go installs itself is not on the path of every shell.
  const go = ['go', '/usr/local/go/bin/go'].find(
    (program) => spawnSync(program, ['version']).status === 0,
  )
  if (go === undefined) {
    assert.notEqual(process.env['CI'], 'true', 'nothing is skipped in CI')
    t.skip('no go here')
    return
  }
  const expected = [
    ['cpu.profile', 'cpu', 'nanoseconds'],
    ['mem.profile', 'inuse_space', 'knownAllocator'],
    ['lock.profile', 'delay', 'slowHolder'],
  ] as const
  for (const [name, kind, text] of expected) {
    const shown: string = execFileSync(
      go,
      ['tool', 'pprof', '-symbolize=none', '-raw', `-sample_index=${kind}`, file(name)],
      { encoding: 'utf8', env: { ...process.env, PPROF_TMPDIR: folder } },
    )
    assert.ok(shown.includes(text), `${name}: ${shown.slice(0, 400)}`)
  }
})

void test('profiles: files are for the owner and his group, and nothing is left half written', () => {
  assert.equal(statSync(join(folder, 'profiles')).mode & 0o777, 0o750)
  assert.deepEqual(readdirSync(join(folder, 'profiles')).toSorted(), [
    'cpu.profile',
    'lock.profile',
    'mem.profile',
  ])
  for (const name of readdirSync(join(folder, 'profiles'))) {
    assert.equal(statSync(file(name)).mode & 0o777, 0o640, name)
  }
})

void test('profiles: calls at once are answered one by one, and only one starts', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => harness.call('admin.startCPUProfiler')),
  )
  assert.equal(answers.filter(({ result }) => result !== undefined).length, 1)
  const refused = answers.filter(({ error }) => error?.message === 'cpu profiler already running')
  assert.equal(refused.length, 7)
  assert.deepEqual((await harness.call('admin.stopCPUProfiler')).result, {})
})

void test('worker logs: reach the loggers of the process, filtered by their levels at once', async () => {
  const path = join(folder, 'logs', 'C.log')
  await inWorker('log')
  const text = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  while (!text().includes('from a worker too')) await new Promise(setImmediate)
  assert.ok(!text().includes('"debug"'))
  await harness.call('admin.setLoggerLevel', { loggerName: 'C', logLevel: 'DEBUG' })
  await inWorker('log')
  while (text().split('from a worker too').length < 3) await new Promise(setImmediate)
  assert.ok(text().includes('"level":"debug"'))
  assert.ok(!text().includes('secret'))
})

void test('a worker that ended is no longer profiled', async () => {
  await worker.terminate()
  await new Promise(setImmediate)
  await harness.call('admin.lockProfile')
  const { rows, comments } = read('lock.profile')
  assert.ok(rows.length > 0 && rows.every(({ labels }) => labels['thread'] === 'main'))
  assert.ok(comments.every((remark) => !remark.includes('did not answer')))
})
