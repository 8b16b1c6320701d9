import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../src/codec/evm/raw.ts'
import { follow, freshFolder, run, untilLive } from './firn-process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * What npm would install: the files that package.json names, `dist` compiled, no sources.
 *
 * Types are checked elsewhere; here they are only taken away.
 */
async function packed(t: TestContext): Promise<string> {
  const folder = join(await freshFolder(t), 'firn')
  await mkdir(folder)
  const manifest = await readFile(join(root, 'package.json'), 'utf8')
  const { files } = objectOf(JSON.parse(manifest), 'package.json')
  assert.ok(Array.isArray(files) && files.includes('dist'))
  // npm takes the first three unasked, and leaves out what begins with an exclamation mark.
  const taken = ['package.json', 'README.md', 'LICENSE', ...files.map(String)]
  const left = taken.filter((name) => name.startsWith('!')).map((name) => join(root, name.slice(1)))
  for (const name of taken.filter((each) => each !== 'dist' && !each.startsWith('!')))
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: (from) => !left.includes(from),
    })
  const options = ['-p', join(root, 'tsconfig.build.json'), '--noCheck']
  const compiler = join(root, 'node_modules/.bin/tsc')
  const built = await run(compiler, [...options, '--outDir', join(folder, 'dist')])
  assert.equal(built.code, 0, built.stdout)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

void test('package: what npm publishes starts without its sources, indexes and shows the demo', async (t) => {
  const folder = await packed(t)
  const entry = join(folder, 'bin/firn.js')
  const { version } = objectOf(
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
    'package.json',
  )
  const told = await run(process.execPath, [entry, '--version'])
  assert.deepEqual([told.code, told.stdout.trim()], [0, version], told.stderr)

  const flags = [
    'start',
    '--port',
    '0',
    '--node-port',
    '0',
    '--data-dir',
    join(folder, 'data-here'),
  ]
  const firn = await follow(t, spawn(process.execPath, [entry, ...flags]))
  await untilLive(firn, ['fuji-demo-chain', 'fuji-demo-l1'])
  const [, guide = ''] = /your own chains .*\((.+)\)/.exec(firn.errors()) ?? []
  assert.equal(resolve(guide), join(folder, 'docs/guide/getting-started.md'))
  const { transactions } = await firn.get('/v1/chains/51001/transactions?pageSize=3')
  assert.ok(Array.isArray(transactions) && transactions.length === 3)
  const page = await (await fetch(firn.apiUrl)).text()
  const files = [...page.matchAll(/"(\/explorer\/[^"]+)"/g)].flatMap(([, path]) => path ?? [])
  assert.ok(files.some((path) => path.endsWith('/main.js')))
  for (const path of new Set(files)) {
    const reply = await fetch(`${firn.apiUrl}${path}`)
    assert.equal(reply.status, 200, path)
  }
  assert.equal(await firn.end(), 0, firn.errors())

  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.md') && !name.startsWith('node_modules'),
  )
  assert.ok(names.includes('README.md') && names.length > 15)
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)#\s]+)/g))
      assert.ok(existsSync(join(folder, dirname(name), link)), `${name} leads to ${link}`)
  }
})
