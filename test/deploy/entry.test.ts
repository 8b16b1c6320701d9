/**
 * The program of the image, run as the image runs it: the installed package in a tree that nobody
 * may write, another user, one folder for data. The image itself is not built here.
 */

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { chmod, chown, copyFile, cp, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { follow, freshFolder, untilLive } from '../support/processes/firn-process.ts'
import { packInto } from '../support/processes/packed-package.ts'
import { deployFiles, dockerInstructions, dockerWords, textOf } from './deploy-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = dockerWords('ENTRYPOINT')[1] ?? ''
const installed = '/opt/firn/node_modules/firn-data'
const [userId = 0] = (dockerInstructions().find(({ word }) => word === 'USER')?.rest ?? '')
  .split(':')
  .map(Number)

void test('image: its entry command runs as another user over a tree that cannot be written', async (t) => {
  const folder = await freshFolder(t)
  await chmod(folder, 0o755)
  const tree = join(folder, 'root')
  const data = join(folder, 'data')
  await mkdir(data)
  const unlock = await makeTree(tree)
  try {
    await runIn(t, { tree, data })
  } finally {
    await unlock()
  }
})

async function runIn(
  t: TestContext,
  { tree, data }: { readonly tree: string; readonly data: string },
): Promise<void> {
  // Only root may become another user; else the tree is shut to its owner, too.
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? { uid: userId, gid: userId } : {}
  if (isRoot) await chown(data, userId, userId)
  const before = await pathsIn(tree)

  const node = join(tree, 'usr/bin/node')
  const environment = {
    ...imageEnvironment(),
    // The greeting is read as people read it.
    FIRN_LOG_FORMAT: 'plain',
    FIRN_DATA_DIR: data,
    FIRN_API_HOST: '127.0.0.1',
    FIRN_NODE_HOST: '127.0.0.1',
    FIRN_API_PORT: '0',
    FIRN_NODE_PORT: '0',
    // There is none in the tree.
    TMPDIR: join(tree, 'tmp'),
  }
  const words = [join(tree, entry), ...dockerWords('CMD')]
  const firn = await follow(t, spawn(node, words, { cwd: data, env: environment, ...as }))
  await untilLive(firn, ['fuji-summit'])
  // Without those of the node that is indexed.
  const ours = deployFiles.map((file) => textOf(file).replace(/^.*node\.example.*$/gm, ''))
  const paths = new Set(ours.flatMap((text) => text.match(/\/ext\/[a-z/]+/g) ?? []))
  assert.deepEqual([...paths].toSorted(), [
    '/ext/health/liveness',
    '/ext/health/readiness',
    '/ext/metrics',
  ])
  for (const path of paths) assert.equal((await fetch(`${firn.nodeUrl}${path}`)).status, 200, path)

  const { port } = new URL(firn.nodeUrl)
  const healthy = join(tree, installed, 'deploy/healthy.mjs')
  const health = (): Promise<number> =>
    codeOf(node, [healthy], { env: { ...environment, FIRN_NODE_PORT: port }, ...as })
  assert.equal(await health(), 0)
  assert.equal(await firn.end('SIGTERM'), 0, firn.errors())
  assert.equal(await health(), 1)
  assert.deepEqual(await pathsIn(tree), before, 'nothing was written outside of the data folder')
  for (const name of await readdir(data))
    if (isRoot) assert.equal((await lstat(join(data, name))).uid, userId, name)
}

/**
 * The files of the image that Firn needs: a Node, the package, and what it depends on. Nobody may
 * write there until what is returned was called, without which nobody can remove it either.
 */
async function makeTree(tree: string): Promise<() => Promise<void>> {
  await mkdir(join(tree, 'usr/bin'), { recursive: true })
  await copyFile(process.execPath, join(tree, 'usr/bin/node'))
  await packInto(join(tree, installed))
  const lock = objectOf(JSON.parse(await readFile(`${root}package-lock.json`, 'utf8')), 'lock')
  for (const [path, value] of Object.entries(objectOf(lock['packages'], 'packages'))) {
    const { dev, devOptional } = objectOf(value, path)
    const isRuntime = path.startsWith('node_modules/node-')
    if (path === '' || dev === true || devOptional === true || isRuntime) continue
    // A package of another platform is not installed.
    const isThere = await lstat(`${root}${path}`).catch(() => undefined)
    if (isThere !== undefined)
      await cp(`${root}${path}`, join(tree, 'opt/firn', path), { recursive: true })
  }
  const setModes = async (mode: number): Promise<void> => {
    await chmod(tree, mode)
    for (const path of await pathsIn(tree))
      if (!(await lstat(path)).isSymbolicLink()) await chmod(path, mode)
  }
  await setModes(0o555)
  return () => setModes(0o755)
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
}

function imageEnvironment(): Readonly<Record<string, string>> {
  const { rest = '' } = dockerInstructions().find(({ word }) => word === 'ENV') ?? {}
  return Object.fromEntries(
    rest.split(' ').map((pair): [string, string] => {
      const [key = '', value = ''] = pair.split('=')
      return [key, value]
    }),
  )
}

function codeOf(
  program: string,
  words: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number },
): Promise<number> {
  return new Promise((resolve) => {
    const child = execFile(program, words, options)
    child.on('exit', (code) => resolve(code ?? -1))
  })
}
