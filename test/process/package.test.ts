import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../src/codec/evm/raw.ts'
import {
  follow,
  freshFolder,
  run,
  untilLive,
  wholeDemo,
} from '../support/processes/firn-process.ts'
import { packInto } from '../support/processes/packed-package.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function packed(t: TestContext): Promise<string> {
  const folder = join(await freshFolder(t), 'firn')
  await packInto(folder)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

void test('package: the published package starts without its sources, indexes and shows the demo', async (t) => {
  const folder = await packed(t)
  const entry = join(folder, 'bin/firn.js')
  const { version } = objectOf(
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
    'package.json',
  )
  const printed = await run(process.execPath, [entry, '--version'])
  assert.equal(printed.code, 0, printed.stderr)
  const layout = / \(layout \d+ of stores(?:, commit [0-9a-f]{12})?\)\n$/
  assert.match(printed.stdout, layout)
  assert.equal(printed.stdout.replace(layout, ''), version)

  const flags = [
    'start',
    '--port',
    '0',
    '--node-port',
    '0',
    '--data-dir',
    join(folder, 'data-here'),
  ]
  const firn = await follow(t, spawn(process.execPath, [entry, ...flags], { env: wholeDemo() }))
  await untilLive(firn, ['fuji-summit', 'fuji-harbor'])
  const [, guide = ''] = /your own node .*\((.+)\)/.exec(firn.errors()) ?? []
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
