import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import type { NodeChain } from '../../src/admin/aliases/alias-rules.ts'
import { toHex } from '../../src/core/bytes.ts'
import { fromCb58, toCb58 } from '../../src/core/cb58.ts'
import { freshFolder, startHarness, type Harness, type HarnessOptions } from './harness.ts'

type Context = { after: (run: () => Promise<void>) => void }

const xsvmId = 'v3m4wPxaHpvGr8qfMeyK6PRW3idZrPHmYcMTt7oXdK47yurVH'
const get = { method: 'GET', headers: { 'Content-Type': '' } }

async function start(t: Context, options: Partial<HarnessOptions> = {}): Promise<Harness> {
  const { folder, remove } = await freshFolder()
  mkdirSync(join(folder, 'plugins'), { mode: 0o755 })
  const harness = await startHarness({ folder, ...options })
  t.after(async () => {
    await harness.close()
    await remove()
  })
  return harness
}

/** Id of a VM by its name, as the original makes one: ASCII, padded with zeros. */
function vmIdOf(name: string): string {
  const bytes = new Uint8Array(32)
  bytes.set(new TextEncoder().encode(name))
  return toCb58(bytes)
}

function write(node: Harness, file: string, text: string): void {
  writeFileSync(join(node.folder, 'plugins', file), text, { mode: 0o644 })
}

const load = async (node: Harness): Promise<unknown> => (await node.call('admin.loadVMs')).result

/**
 * A loop that never gives its thread back, and sleeps in it: one that counts would take a core until
 * the time is up.
 */
const endless = 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)'

const good = 'export const readBlock = () => ({})'

void test('vm ids: those built in and the example are their names', async (t) => {
  const node = await start(t)
  const body = '{"jsonrpc":"2.0","id":1,"method":"info.getVMs"}'
  const reply = await node.send({ path: '/ext/info', body })
  const { vms }: { vms: Record<string, string[]> } = JSON.parse(reply.body).result
  const names = { platformvm: 'platform', avm: 'avm', evm: 'evm', subnetevm: 'subnetevm' }
  const expected = Object.entries(names).map(([name, alias]) => [vmIdOf(name), [alias]])
  assert.deepEqual(Object.entries(vms), expected)
  assert.equal(vmIdOf('xsvm'), xsvmId)
})

void test('plugin faults: each is reported by itself and leaves the process and the other plugins alone', async (t) => {
  const node = await start(t)
  const cases: Record<string, [text: string, reason: RegExp]> = {
    syntax: ['export const readBlock = {', /Unexpected end of input/],
    thrown: ['throw new Error("cannot start")', /^cannot start$/],
    hangs: ['await new Promise(() => {})', /^plugin did not answer in ms: 5000$/],
    busy: [endless, /^plugin did not answer in ms: 5000$/],
    exits: ['process.exit(3)', /^plugin ended by itself$/],
    grows: ['const all = []; for (;;) all.push(new Array(1e6).fill(0.5))', /memory limit|in ms/],
    nothing: ['export const other = 1', /^missing export "readBlock"$/],
    needs: ['import "./not-there.mjs"', /Cannot find module/],
  }
  for (const [name, [text]] of Object.entries(cases)) write(node, `${vmIdOf(name)}.mjs`, text)
  write(node, `${vmIdOf('fine')}.js`, good)
  const answer = await node.call('admin.loadVMs')
  assert.ok(isLoaded(answer.result))
  assert.deepEqual(answer.result.newVMs, { [vmIdOf('fine')]: [] })
  const failed = answer.result.failedVMs ?? {}
  assert.equal(Object.keys(failed).length, Object.keys(cases).length)
  for (const [name, [, reason]] of Object.entries(cases)) {
    assert.match(failed[vmIdOf(name)] ?? '', reason, name)
  }
  assert.equal((await node.send({ ...get, path: '/ext/health/liveness' })).status, 200)
})

type Loaded = { newVMs: Record<string, string[]>; failedVMs?: Record<string, string> }

function isLoaded(value: unknown): value is Loaded {
  return typeof value === 'object' && value !== null && 'newVMs' in value
}

void test('plugin repaired: the next load takes it, and one that is loaded is not loaded again', async (t) => {
  const node = await start(t)
  const id = vmIdOf('mended')
  write(node, `${id}.mjs`, 'throw new Error("not yet")')
  assert.deepEqual(await load(node), { newVMs: {}, failedVMs: { [id]: 'not yet' } })
  assert.deepEqual(await load(node), { newVMs: {}, failedVMs: { [id]: 'not yet' } })
  write(node, `${id}.mjs`, good)
  assert.deepEqual(await load(node), { newVMs: { [id]: [] } })
  assert.deepEqual(await load(node), { newVMs: {} })
})

void test('plugin files: hidden ones, other endings and names that are no VM are passed over', async (t) => {
  const node = await start(t)
  for (const name of ['.hidden.mjs', 'readme.md', 'data.json', `${vmIdOf('x')}.ts`])
    write(node, name, 'x')
  write(node, 'not-a-vm.mjs', good)
  write(node, 'evm.mjs', 'throw new Error("built in: never loaded")')
  assert.deepEqual(await load(node), { newVMs: {} })
  const strict = await start(t, { settings: { adminCompat: 'avalanchego' } })
  write(strict, 'not-a-vm.mjs', good)
  const refused = await strict.call('admin.loadVMs')
  // The words of a recorded node with a file of this name.
  assert.equal(refused.error?.message, 'invalid vmID: "not-a-vm"')
})

void test('plugin permissions: a file that other users may write is never run', async (t) => {
  const node = await start(t)
  const id = vmIdOf('open')
  const ran = join(node.folder, 'ran')
  write(
    node,
    `${id}.mjs`,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(ran)}, '')\n${good}`,
  )
  const insecure = { newVMs: {}, failedVMs: { [id]: 'insecure permissions' } }
  for (const mode of [0o666, 0o664, 0o646]) {
    chmodSync(join(node.folder, 'plugins', `${id}.mjs`), mode)
    assert.deepEqual(await load(node), insecure, mode.toString(8))
  }
  chmodSync(join(node.folder, 'plugins', `${id}.mjs`), 0o644)
  chmodSync(join(node.folder, 'plugins'), 0o777)
  assert.deepEqual(await load(node), insecure)
  assert.throws(() => readFileSync(ran))
  chmodSync(join(node.folder, 'plugins'), 0o755)
  assert.deepEqual(await load(node), { newVMs: { [id]: [] } })
})

void test('plugin folder: a missing one is empty, a file in its place is an error', async (t) => {
  const node = await start(t)
  const path = join(node.folder, 'plugins')
  rmSync(path, { recursive: true })
  assert.deepEqual(await load(node), { newVMs: {} })
  writeFileSync(path, '')
  assert.equal((await node.call('admin.loadVMs')).error?.message, `open ${path}: not a directory`)
})

void test('plugin secrets: the environment of the process is not theirs', async (t) => {
  const node = await start(t)
  const id = vmIdOf('curious')
  write(node, `${id}.mjs`, 'throw new Error(`sees ${Object.keys(process.env).length}`)')
  assert.deepEqual(await load(node), { newVMs: {}, failedVMs: { [id]: 'sees 0' } })
})

void test('many plugins: forty are loaded by one call', async (t) => {
  const node = await start(t)
  const ids = Array.from({ length: 40 }, (_, at) => `many${at}`)
  for (const name of ids) write(node, `${vmIdOf(name)}.mjs`, good)
  const answer = await load(node)
  assert.ok(isLoaded(answer))
  assert.equal(Object.keys(answer.newVMs).length, 40)
})

type Recorded = {
  chainId: string
  missing: string
  blocks: { request: string; answer: string; id: string; txIds: string[] | null; block: GoBlock }[]
}
type GoBlock = { parentID: string; timestamp: string; height: string; txs: unknown[] | null }

// The last digits of large numbers would be lost: numbers are read as texts.
const file = new URL('../../vectors/admin/xsvm.json', import.meta.url)
const recorded: Recorded = JSON.parse(
  readFileSync(file, 'utf8').replaceAll(/^( *(?:"\w+": )?)(\d+)(,?)$/gm, '$1"$2"$3'),
)

/** The recorded node: answers the recorded requests alone. */
function recordedNode(): NonNullable<HarnessOptions['transport']> & { requests: number } {
  const node = {
    requests: 0,
    request: async ({ url, body }: { url: string; body?: string | Uint8Array | undefined }) => {
      node.requests++
      assert.equal(url, `http://node.invalid/ext/bc/${recorded.chainId}`)
      const text = Buffer.from(body ?? '').toString()
      const found = recorded.blocks.find(({ request }) => request === text)
      return {
        status: 200,
        headers: {},
        body: new TextEncoder().encode(found?.answer ?? recorded.missing),
      }
    },
  }
  return node
}

const xsvmChain: NodeChain = {
  id: recorded.chainId,
  names: [],
  otherNames: [],
  network: 'fuji',
  kind: 'plain',
  vmId: xsvmId,
  rpcUrls: [`http://node.invalid/ext/bc/${recorded.chainId}`],
  isLive: () => true,
}

/** The plugin that the guide prints. */
function example(): string {
  const guide = new URL('../../docs/guide/node-administration.md', import.meta.url)
  const text = /```js\n(.*?)```/s.exec(readFileSync(guide, 'utf8'))?.[1]
  assert.ok(text !== undefined)
  return text
}

void test('plugin of the guide: reads a real chain of its VM as the VM itself does', async (t) => {
  const transport = recordedNode()
  const node = await start(t, { chains: () => [xsvmChain], transport })
  const path = (block: string): string => `/ext/bc/${recorded.chainId}/blocks/${block}`
  assert.equal((await node.send({ ...get, path: path('latest') })).status, 404, 'not loaded yet')
  write(node, `${xsvmId}.mjs`, example())
  assert.deepEqual(await load(node), { newVMs: { [xsvmId]: [] } })
  await node.call('admin.aliasChain', { chain: recorded.chainId, alias: 'shop' })
  assert.ok(recorded.blocks.length >= 5)
  let transactions = 0
  for (const [at, { id, block }] of recorded.blocks.entries()) {
    const blockPath = at === 0 ? path('latest') : `/ext/bc/shop/blocks/${id}`
    const reply = await node.send({ ...get, path: blockPath })
    assert.equal(reply.status, 200, reply.body)
    const count = block.txs?.length ?? 0
    assert.deepEqual(JSON.parse(reply.body), {
      parentId: toHex(fromCb58(block.parentID)),
      timestamp: Number(block.timestamp),
      height: Number(block.height),
      transactions: count,
    })
    transactions += count
  }
  assert.equal(transactions, 4)
  const missing = await node.send({ ...get, path: path('nothere') })
  assert.deepEqual([missing.status, missing.body], [502, 'the node has no such block\n'])
})

void test('a plugin that hangs in a call and one that gives no block have errors of their own, and the next call is served', async (t) => {
  const node = await start(t, { chains: () => [xsvmChain], transport: recordedNode() })
  write(
    node,
    `${xsvmId}.mjs`,
    `export const readBlock = (block) => { if (block === 'busy') ${endless}; return block === 'x' ? 5 : { block } }`,
  )
  await load(node)
  const ask = async (block: string): Promise<string> => {
    const { status, body } = await node.send({
      ...get,
      path: `/ext/bc/${recorded.chainId}/blocks/${block}`,
    })
    return `${status} ${body.trim()}`
  }
  assert.equal(await ask('busy'), '503 plugin did not answer in ms: 5000')
  assert.equal(await ask('x'), '502 plugin gave no block')
  assert.equal(await ask('y'), '200 {"block":"y"}')
  assert.equal((await ask('a%2fb')).slice(0, 3), '404')
})
