/**
 * Plays a newcomer: `npm run test:newcomer`. From a fresh clone the two commands of the README, every request
 * of README, getting started and the examples, the demo's page at second 5, 30 and 90 and with a clock a year
 * later; then `--node` with a real network (`FIRN_AVALANCHE_TREE`) and `--rpc` with anvil in the same folder.
 * Needs npm's registry, git, and Chromium; what is missing is named, and with `CI` nothing may be.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { chromium, type Page } from 'playwright-core'

import { objectOf } from '../src/codec/evm/raw.ts'
import { avalancheTree } from './network/avalanche-tree.ts'
import { isBootstrapped, startSoleNode } from './network/sole-node.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const runFile = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'firn-newcomer-'))
const clone = join(folder, 'firn')
const url = 'http://127.0.0.1:8080'
const nodeUrl = 'http://127.0.0.1:9650'
const anvilUrl = 'http://127.0.0.1:8545'
/** Machines may be busy: a limit for what takes a second or two. */
const limitMs = 120_000
const started: ChildProcess[] = []

/** A step that needs what this machine lacks. */
function lacks(what: string): boolean {
  if (process.env['CI'] === 'true') throw new Error(`this machine has no ${what}`)
  console.log(`left out: this machine has no ${what}`)
  return true
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now()
  const result = await work()
  console.log(`ok  ${name} (${((performance.now() - from) / 1_000).toFixed(1)} s)`)
  return result
}

/** `npm start` in the clone; what it printed, and how it ends. */
async function npmStart(...flags: readonly string[]) {
  const child = spawn('npm', ['start', '--', ...flags], { cwd: clone, detached: true })
  started.push(child)
  const from = performance.now()
  let printed = ''
  child.stdout.on('data', (part: Buffer) => (printed += part.toString()))
  child.stderr.on('data', (part: Buffer) => (printed += part.toString()))
  const answered = async (): Promise<boolean> => (await get('/status')) !== undefined
  await until('an answer', async () => {
    if (child.exitCode !== null) throw new Error(printed)
    return answered()
  })
  const seconds = (performance.now() - from) / 1_000
  const end = async (): Promise<string> => {
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await once(child, 'exit')
    return printed
  }
  return { seconds, end, printed: () => printed }
}

async function get(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    const reply = await fetch(`${url}${path}`)
    return reply.status === 200 ? { ...objectOf(await reply.json(), path) } : undefined
  } catch {
    return undefined
  }
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`did not happen in two minutes: ${what}`)
    await pause(100)
  }
}

async function chains(): Promise<Readonly<Record<string, unknown>>[]> {
  const listed = (await get('/status'))?.['chains']
  return Array.isArray(listed) ? listed.map((chain) => objectOf(chain, 'chain')) : []
}

async function untilLive(count: number): Promise<void> {
  await until(`${count} chains live`, async () => {
    const all = await chains()
    return all.length >= count && all.every(({ state }) => state === 'live')
  })
}

/**
 * Runs the shell lines of a page in order, as somebody who pastes them: none may fail, each says something. One whose
 * printed answer is a refusal is refused.
 */
async function pasteAll(file: string): Promise<void> {
  const text = await readFile(join(clone, file), 'utf8')
  const refused = /"statusCode": (?:4|5)\d\d/
  const lines = [
    ...text.matchAll(/^```sh\n(.*?)^```$(?:\n\n```json\n(.*?)^```$)?|^ {4}(curl [^\n]*)$/gms),
  ]
  const blocks = lines.map(([, block, answer = '', line]) =>
    refused.test(answer) ? `if ${(block ?? '').trim()}; then exit 1; fi` : (block ?? line),
  )
  const script = ['curl() { command curl -sS --fail-with-body "$@"; }', ...blocks].join('\n')
  await runFile('bash', ['-euo', 'pipefail', '-c', script], { cwd: clone, maxBuffer: 67_108_864 })
}

const rpc = async (to: string, method: string, ...params: readonly unknown[]): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(to, { method: 'POST', headers, body })
  return objectOf(await reply.json(), method)['result']
}

/** A clone; a copy of the files where these are no repository of ours, as in an unpacked archive. */
async function fetchClone(): Promise<void> {
  try {
    await runFile('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone])
  } catch (error) {
    console.log(`no clone, a copy: ${error instanceof Error ? error.message : ''}`)
    const left = new Set(['.git', 'dist', 'node_modules'].map((name) => join(root, name)))
    await cp(root, clone, { recursive: true, filter: (path) => !left.has(path) })
  }
}

/** Blocks of all chains of the demo so far. */
async function blocksSoFar(): Promise<number> {
  const textOf = async (path: string): Promise<string> => (await fetch(url + path)).text()
  const { chains }: { readonly chains: readonly { readonly chainId: string }[] } = JSON.parse(
    await textOf('/v1/chains'),
  )
  const newest = await Promise.all(
    chains.map(({ chainId }) => textOf(`/v1/chains/${chainId}/blocks?pageSize=1`)),
  )
  const heights = newest.map((text) => Number(/"blockNumber":"(\d+)"/.exec(text)?.[1] ?? -1))
  return heights.reduce((sum, height) => sum + height + 1, 0)
}

/** Text of the page of the demo. */
async function look(page: Page): Promise<string> {
  const main = page.locator('main')
  await main.waitFor()
  return main.innerText()
}

async function demo(): Promise<void> {
  const firn = await step('npm start answers', () => npmStart())
  assert.match(firn.printed(), /data +\S+firn-demo/)
  const began = performance.now()
  const at = (second: number): Promise<void> =>
    pause(Math.max(0, began + second * 1_000 - performance.now()))
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
  if (executablePath === undefined) lacks('Chromium')
  else {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(limitMs)
      await page.goto(url)
      const seen: string[] = []
      const blocks: number[] = []
      for (const second of [5, 30, 90]) {
        await at(second)
        seen.push(await look(page))
        blocks.push(await blocksSoFar())
        await page.screenshot({ path: join(tmpdir(), `firn-newcomer-${second}.png`) })
      }
      const [first = '', second = '', third = ''] = seen
      assert.notEqual(first, second, 'nothing moved between second 5 and 30')
      assert.notEqual(second, third, 'nothing moved between second 30 and 90')
      const [early = 0, later = 0, last = 0] = blocks
      assert.ok(early < later && later < last, `blocks come one a second: ${blocks.join(', ')}`)
      await step('every page says that it is a recording', async () => {
        for (const place of [
          '',
          'messages',
          'metrics',
          'l1s/fuji',
          'staking/fuji',
          'api',
          'chain/51003',
        ]) {
          await page.goto(`${url}/${place}`)
          await page.getByText('Recording of 22 November 2026').waitFor()
        }
      })
      await at(130)
      const nextYear = await browser.newContext()
      const old = await nextYear.newPage()
      old.setDefaultTimeout(limitMs)
      await old.clock.install({ time: Date.now() + 365 * 86_400_000 })
      await old.goto(url)
      await old.getByText('Recording of 22 November 2026').waitFor()
      await old.clock.runFor(5_000)
      assert.doesNotMatch(await look(old), /3[0-9]{2} d ago|1 y ago/)
    } finally {
      await browser.close()
    }
  }
  await step('all of it is live', () => untilLive(5))
  await at(130)
  const examples = (await readdir(join(clone, 'docs/examples'))).filter((name) =>
    name.endsWith('.md'),
  )
  for (const file of [
    'README.md',
    'docs/guide/getting-started.md',
    ...examples.filter((name) => name !== 'usage.md').map((name) => `docs/examples/${name}`),
    // Once there is a key, exports and webhooks ask for one.
    'docs/examples/usage.md',
  ])
    await step(`requests of ${file}`, () => pasteAll(file))
  const printed = await firn.end()
  assert.doesNotMatch(printed, /live at -1|0 of 0|ERROR|\n {4}at /)
}

/** Firn on the chain of an anvil that makes three blocks. */
async function withAnvil(): Promise<void> {
  started.push(spawn(join(clone, 'node_modules/.bin/anvil'), ['--silent'], { detached: true }))
  await until(
    'anvil',
    async () => (await rpc(anvilUrl, 'eth_chainId').catch(() => '')) === '0x7a69',
  )
  await rpc(anvilUrl, 'anvil_mine', '0x3')
  const firn = await step('npm start -- --rpc', () => npmStart('--rpc', anvilUrl))
  await until('its blocks', async () => {
    const block = await get('/v1/chains/31337/blocks/3')
    return block?.['blockNumber'] === '3'
  })
  assert.match(await firn.end(), /found Chain 31337/)
}

/** Firn on a real node: its primary network and its C-Chain, in the folder that anvil's chain shares. */
async function withNode(): Promise<void> {
  const tree = avalancheTree()
  if (tree === undefined) return void lacks('AvalancheGo: FIRN_AVALANCHE_TREE')
  started.push(startSoleNode(tree, join(folder, 'node'), Number(new URL(nodeUrl).port)))
  await until('a node', () => isBootstrapped(nodeUrl))
  const firn = await step('npm start -- --node', () => npmStart('--node', nodeUrl))
  await untilLive(2)
  assert.match(await firn.end(), /found network 12345 at .*primary network, C-Chain/)
}

try {
  await step('git clone', fetchClone)
  await step('npm ci', () => runFile('npm', ['ci'], { cwd: clone, maxBuffer: 67_108_864 }))
  await demo()
  await withNode()
  await withAnvil()
} finally {
  for (const child of started)
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
