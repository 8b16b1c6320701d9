/**
 * Processor time of `firn --help`, `firn status`, and `firn start` until its first answer, beside that
 * of Node alone. The demo is indexed and what V8 compiled is kept, as after any first start. The least
 * of some rounds counts.
 *
 *     node bench/start.ts [rounds]
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { processorSeconds } from './process-figures.ts'

const rounds = Number(process.argv[2] ?? 8)
const entry = new URL('../bin/firn.js', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
const port = 20_000 + Math.floor(Math.random() * 20_000)
const flags = ['--port', String(port), '--node-port', '0', '--data-dir', folder]

try {
  const [first, ended] = start()
  await until('/status', (text) => !/"state":"(?!live|off)/.test(text) && text.includes('messages'))
  first.kill('SIGINT')
  await ended
  const least = { node: Infinity, help: Infinity, status: Infinity, start: Infinity }
  for (let round = 0; round < rounds; round++) {
    least.node = Math.min(least.node, await wholeSeconds('-e', '0'))
    least.help = Math.min(least.help, await wholeSeconds(entry, '--help'))
    const away = ['status', '--url', 'http://127.0.0.1:1']
    least.status = Math.min(least.status, await wholeSeconds(entry, ...away))
    least.start = Math.min(least.start, await secondsToAnswer())
  }
  for (const [name, seconds] of Object.entries(least))
    console.log(
      `${name.padEnd(6)}  ${seconds.toFixed(3)} s (${(seconds / least.node).toFixed(1)} x Node alone)`,
    )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function start(): [ChildProcess, Promise<unknown>] {
  const child = spawn(process.execPath, [entry, 'start', ...flags], { stdio: 'ignore' })
  return [child, once(child, 'exit')]
}

async function secondsToAnswer(): Promise<number> {
  const [child, ended] = start()
  await until('/v1/chains/51001/blocks/5', () => true)
  const seconds = processorSeconds(Number(child.pid))
  child.kill('SIGINT')
  await ended
  return seconds
}

/** Waits for an answer that `accepts` takes. A try costs the other process nothing until it listens. */
async function until(path: string, accepts: (text: string) => boolean): Promise<void> {
  for (;;) {
    const text = await answer(`http://127.0.0.1:${port}${path}`)
    if (text !== undefined && accepts(text)) return
    await pause(4)
  }
}

async function answer(url: string): Promise<string | undefined> {
  try {
    const reply = await fetch(url)
    return reply.ok ? await reply.text() : undefined
  } catch {
    return undefined
  }
}

/** Processor time of a process from its beginning to its end, as the shell has it. */
async function wholeSeconds(...words: readonly string[]): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1'
  const child = spawn('bash', ['-c', script, 'timed', process.execPath, ...words])
  let told = ''
  child.stderr.on('data', (part: Buffer) => (told += part.toString('utf8')))
  await once(child, 'close')
  return told
    .trim()
    .split(' ')
    .map(Number)
    .reduce((sum, part) => sum + part, 0)
}
