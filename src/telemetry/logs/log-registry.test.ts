import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { levelRank, logLevels, parseLogLevel, type RecordLevel } from '../log-level.ts'
import { plainFields, redactText, redactUrl } from '../redact.ts'
import { createLogs, logFile } from './log-registry.ts'

// Fixed, so that lines can be compared whole.
const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5, 678)

// The order of avalanchego utils/logging/level.go, written out once more.
const order = ['VERBO', 'DEBUG', 'TRACE', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF']
const recordLevels = order.slice(0, 7).map((level) => level as RecordLevel)

function folder(t: { after: (run: () => void) => void }): string {
  const made = mkdtempSync(join(tmpdir(), 'firn-log-'))
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

void test('levels: the order is the original, in which TRACE is quieter than DEBUG', () => {
  assert.deepEqual(
    logLevels.toSorted((a, b) => levelRank[a] - levelRank[b]),
    order,
  )
})

void test('levels: read in any case, never with space or other words', () => {
  for (const text of ['debug', 'VeRbO', 'off', 'FATAL'])
    assert.equal(parseLogLevel(text), text.toUpperCase())
  for (const text of ['warning', 'verbose', ' info', 'info ', '', '5']) {
    assert.equal(parseLogLevel(text), undefined, text)
  }
})

void test('logger: file and display pass exactly what their own level lets through', (t) => {
  const directory = folder(t)
  const shown: string[] = []
  const logs = createLogs({
    now,
    display: (line) => shown.push(line),
    format: 'json',
    directory,
    logLevel: 'INFO',
    displayLevel: 'INFO',
  })
  const file = join(directory, 'C.log')
  logs.log.child('C').error('first')
  let seen = readFileSync(file, 'utf8').length
  let checks = 0
  for (const logLevel of logLevels) {
    for (const displayLevel of logLevels) {
      logs.setLevels('C', { logLevel, displayLevel })
      for (const level of recordLevels) {
        shown.length = 0
        logs.record({ logger: 'C', level, event: 'x', fields: {} })
        const written = readFileSync(file, 'utf8')
        const name = `${level} at file ${logLevel}, display ${displayLevel}`
        const rank = order.indexOf(level)
        assert.equal(written.length > seen, rank >= order.indexOf(logLevel), name)
        assert.equal(shown.length === 1, rank >= order.indexOf(displayLevel), name)
        seen = written.length
        checks++
      }
    }
  }
  assert.equal(checks, 448)
  logs.close()
})

void test('logger: levels of one are not those of another, and one may be set without the other', () => {
  const logs = createLogs({
    now,
    display: undefined,
    format: 'json',
    directory: undefined,
    logLevel: 'INFO',
    displayLevel: 'WARN',
  })
  logs.log.child('P')
  logs.log.child('C')
  logs.setLevels('C', { displayLevel: 'VERBO' })
  assert.deepEqual(logs.levels('C'), { logLevel: 'INFO', displayLevel: 'VERBO' })
  assert.deepEqual(logs.levels('P'), { logLevel: 'INFO', displayLevel: 'WARN' })
  assert.deepEqual(logs.names(), ['main', 'P', 'C'])
  assert.throws(() => logs.setLevels('nope', { logLevel: 'INFO' }), Fault)
})

void test('logger: the floor workers see is the lowest level anyone listens to', () => {
  const quiet = { now, display: undefined, format: 'json', directory: undefined } as const
  const logs = createLogs({ ...quiet, logLevel: 'INFO', displayLevel: 'OFF' })
  logs.log.child('C')
  const floor = (): number => Atomics.load(logs.floor, 0)
  assert.equal(floor(), levelRank.INFO)
  logs.setLevels('C', { displayLevel: 'TRACE' })
  assert.equal(floor(), levelRank.TRACE)
  logs.setLevels('C', { logLevel: 'OFF', displayLevel: 'OFF' })
  logs.setLevels('main', { logLevel: 'OFF' })
  assert.equal(floor(), levelRank.OFF)
})

void test('line: JSON for machines, one line for people, a part below its logger', () => {
  const lines: string[] = []
  const base = { now, directory: undefined, logLevel: 'OFF', displayLevel: 'INFO' } as const
  const display = (line: string): number => lines.push(line)
  const machine = createLogs({ ...base, display, format: 'json' })
  machine.log
    .child('C')
    .child('fetch')
    .info('stage committed', { from: 1, big: 2n, none: undefined })
  assert.deepEqual(JSON.parse(lines.pop() ?? ''), {
    level: 'info',
    timestamp: '2026-01-02T03:04:05.678Z',
    logger: 'C',
    part: 'fetch',
    from: 1,
    big: '2',
    msg: 'stage committed',
  })
  const people = createLogs({ ...base, display, format: 'plain' })
  people.log.warn('a\nb', { text: 'two words', list: [1, 2], level: 'mine' })
  assert.equal(
    lines.pop(),
    '03:04:05.678 WARN  main  a\\nb  text="two words" list=[1,2] level_=mine\n',
  )
})

void test('redaction: no canary comes through, whatever it hides in', (t) => {
  const directory = folder(t)
  const shown: string[] = []
  const logs = createLogs({
    now,
    display: (line) => shown.push(line),
    format: 'plain',
    directory,
    logLevel: 'VERBO',
    displayLevel: 'VERBO',
  })
  const canary = 'CANARY0123456789'
  const fault = new Fault('node-unreachable', `no answer: https://node.example/v1/${canary}`, {
    detail: { url: `https://u:${canary}@node.example` },
    cause: new Error(`wss://node.example?key=${canary}`),
  })
  const fields = {
    url: `https://user:${canary}@node.example/ext/bc/C/rpc`,
    path: `http://node.example/${canary}`,
    query: `http://node.example?key=${canary}`,
    rltoken: canary,
    'x-service-api-key': canary,
    headers: { Authorization: canary, cookie: canary, deep: { 'X-Glacier-Api-Key': canary } },
    list: [`avk_12345678_${canary}`],
    text: `?rltoken=${canary}&a=1 postgres://firn:${canary}@db:5432/firn`,
    fault,
    error: new Error(`failed at https://node.example/${canary}`),
    deep: { a: { b: { c: { d: { e: canary } } } } },
  }
  logs.log.error('all of them', fields)
  logs.close()
  const written = readFileSync(join(directory, 'main.log'), 'utf8')
  assert.ok(written.includes('all of them'))
  assert.ok(written.includes('node.example'), 'the host stays')
  for (const text of [written, ...shown]) assert.ok(!text.includes(canary), text)
})

void test('redaction: a URL keeps scheme and host, and a hash when there was more', () => {
  assert.equal(redactUrl('http://127.0.0.1:9650'), 'http://127.0.0.1:9650')
  assert.equal(redactUrl('http://127.0.0.1:9650/'), 'http://127.0.0.1:9650')
  assert.match(redactUrl('https://h/ext/bc/C/rpc'), /^https:\/\/h#[0-9a-f]{6}$/)
  assert.notEqual(redactUrl('https://h/a'), redactUrl('https://h/b'))
  assert.match(redactUrl('https://a@b@h/x'), /^https:\/\/h#/)
  assert.equal(redactText('at file:///src/a.ts:1:2'), 'at file:///src/a.ts:1:2')
})

void test('redaction: fields become plain JSON of a limited size', () => {
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, at]))
  assert.equal(Object.keys(plainFields(wide)).length, 64)
  const long = plainFields({ text: 'x'.repeat(1e6), list: Array.from({ length: 1_000 }, () => 0) })
  assert.equal(String(long['text']).length, 4_096)
  assert.ok(JSON.stringify(long).length < 5_000)
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  assert.doesNotThrow(() => JSON.stringify(plainFields(circle)))
})

void test('file: turns over before it is too long and keeps so many old ones', (t) => {
  const directory = folder(t)
  const sink = logFile(directory, 'a/b', { maxBytes: 30, keep: 2 })
  for (let line = 0; line < 8; line++) sink.write(`line number ${line}\n`)
  sink.close()
  assert.deepEqual(readdirSync(directory).toSorted(), ['a_b.log', 'a_b.log.1', 'a_b.log.2'])
  const text = (name: string): string => readFileSync(join(directory, name), 'utf8')
  assert.equal(text('a_b.log'), 'line number 6\nline number 7\n')
  assert.equal(text('a_b.log.1'), 'line number 4\nline number 5\n')
  assert.equal(text('a_b.log.2'), 'line number 2\nline number 3\n')
  assert.equal(statSync(join(directory, 'a_b.log')).mode & 0o777, 0o640)
})

void test('file: a new process goes on where the last one stopped', (t) => {
  const directory = folder(t)
  for (const line of ['first line of it\n', 'second line of it\n']) {
    const sink = logFile(directory, 'x', { maxBytes: 20, keep: 3 })
    sink.write(line)
    sink.close()
  }
  assert.equal(readFileSync(join(directory, 'x.log'), 'utf8'), 'second line of it\n')
  assert.equal(readFileSync(join(directory, 'x.log.1'), 'utf8'), 'first line of it\n')
})

void test('file: a folder that cannot be had costs the line, not the process', (t) => {
  const directory = folder(t)
  logFile(directory, 'taken').write('x\n')
  const sink = logFile(join(directory, 'taken.log', 'below'), 'x')
  assert.doesNotThrow(() => sink.write('lost\n'))
})

const isLinux = process.platform === 'linux'

void test('log file: a disk that refuses lines costs no descriptors', { skip: !isLinux }, (t) => {
  const directory = folder(t)
  symlinkSync('/dev/full', join(directory, 'full.log'))
  const sink = logFile(directory, 'full')
  const open = (): number => readdirSync('/proc/self/fd').length
  const before = open()
  for (let line = 0; line < 20; line++) sink.write('a line\n')
  assert.ok(open() <= before, `descriptors: ${before}, then ${open()}`)
  sink.close()
})
