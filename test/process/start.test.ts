/** Firn as a process: how it starts, what it says, and how it ends. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import {
  entry,
  freePort,
  freshFolder,
  startDemo,
  chainStatuses,
  until,
  untilDemoServed,
} from '../support/processes/firn-process.ts'

const demoFile = (name: string): string =>
  fileURLToPath(new URL(`../../demo/${name}.firnrec`, import.meta.url))

/** A chain of the demo. */
const summit = openRecording(await readFile(demoFile('summit')))

/** Hash of a block of the demo as the recorded node gave it. */
async function recordedHash(height: number): Promise<unknown> {
  const range = { from: height, until: height + 1 }
  const { signal } = new AbortController()
  return summit.blocks(range, ([unit]) => unit?.block.hash, signal)
}

void test('start: the demo answers truly, drains on Ctrl-C, and goes on where it was', async (t) => {
  const folder = await freshFolder(t)
  const hash = await recordedHash(5)
  for (const round of ['empty store', 'filled store']) {
    const firn = await startDemo(t, folder)
    assert.match(firn.errors(), /^Firn \d+\.\d+\.\d+, serving the bundled demo network\n/m)
    assert.equal(firn.output(), '', 'nothing for a program that reads along')
    await until('first answer', async () => {
      const reply = await fetch(`${firn.apiUrl}/v1/chains/51001/blocks/5`)
      if (reply.status !== 200) return false
      const { blockHash } = objectOf(await reply.json(), 'block')
      assert.equal(blockHash, hash)
      return true
    })
    const elapsed = Math.round(performance.now() - firn.startedMs)
    t.diagnostic(`${round}: first correct answer after ${elapsed} ms`)
    await untilDemoServed(firn)
    t.diagnostic(`${round}: live after ${Math.round(performance.now() - firn.startedMs)} ms`)
    const chains = await chainStatuses(firn)
    assert.equal(chains.get('fuji-summit')?.indexedHeight, summit.heights.until - 1, round)
    assert.equal(chains.size, 5, 'two L1s, the C-Chain, Meridian and the primary network')
    assert.equal(await firn.end('SIGINT'), 0, `${round}: ${firn.errors()}`)
    assert.match(firn.errors(), /^stopped; everything is saved$/m)
    const left = (await readdir(folder)).filter((name) => /-(wal|shm)$/.test(name))
    assert.deepEqual(left, [], `${round}: the stores are closed`)
  }
})

void test('start: others on the machine cannot read stores, in whatever folder they lie', async (t) => {
  const folder = await freshFolder(t)
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'webhooks.sqlite'), '', { mode: 0o644 })
  const firn = await startDemo(t, folder)
  const open = (await readdir(folder, { recursive: true })).filter(
    (name) => name.includes('.sqlite') && (statSync(join(folder, name)).mode & 0o077) !== 0,
  )
  assert.deepEqual(open, [])
  assert.equal(await firn.end(), 0)
})

void test('start: a process that is stopped while it starts exits with 0', async (t) => {
  const folder = await freshFolder(t)
  const child = spawn(process.execPath, [
    entry,
    'start',
    '--port',
    '0',
    '--node-port',
    '0',
    '--data-dir',
    folder,
  ])
  await until('data folder', () => existsSync(join(folder, 'page-token.key')))
  child.kill('SIGTERM')
  const code = await new Promise((resolve) => child.once('exit', resolve))
  assert.equal(code, 0)
})

void test('start: Firn serves also when its output is closed', async (t) => {
  const folder = await freshFolder(t)
  const port = await freePort()
  const flags = ['--port', String(port), '--node-port', '0', '--data-dir', folder]
  const child = spawn(process.execPath, [entry, 'start', ...flags])
  t.after(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  child.stdout.destroy()
  child.stderr.destroy()
  await until('an answer', async () => {
    assert.equal(child.exitCode, null)
    return isAnswered(`http://127.0.0.1:${port}/status`)
  })
  // The first start of the demo, as people make it: its last blocks are still to come.
  await until('a head', async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/chains/51001/blocks`)
    const head = Number(reply.headers.get('x-head-height') ?? 'unknown')
    if (Number.isNaN(head)) return false
    assert.ok(head < summit.heights.until - 1, `held back at a first start: ${head}`)
    return true
  })
  child.kill('SIGINT')
  assert.deepEqual(await exited, [0, null])
})

void test('start: with JSON logs every line is a record, and the first tells the addresses', async (t) => {
  const folder = await freshFolder(t)
  const port = await freePort()
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `log: { format: json }\ndataDir: ${folder}\napi: { port: ${port} }\nnode: { port: 0 }\n`,
  )
  const child = spawn(process.execPath, [entry, 'start', '--config', config])
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stderr.on('data', (part: Buffer) => (printed += part.toString()))
  const closed = once(child, 'close')
  await until('an answer', () => isAnswered(`http://127.0.0.1:${port}/status`))
  child.kill('SIGINT')
  assert.deepEqual(await closed, [0, null])
  const records = printed
    .trim()
    .split('\n')
    .map((line) => objectOf(JSON.parse(line), 'record'))
  const started = records.find(({ msg }) => msg === 'started')
  assert.equal(started?.['apiUrl'], `http://127.0.0.1:${port}`)
  assert.equal(started['dataDir'], folder)
})

async function isAnswered(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}
