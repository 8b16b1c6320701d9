/** A clone runs what its sources say now, from a bundle or without one. */

import assert from 'node:assert/strict'
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { freshFolder, run } from '../support/processes/firn-process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

void test('bundle: made by the first start, again after a source changed, and left out where it cannot be made', async (t) => {
  const clone = join(await freshFolder(t), 'clone')
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(clone, path, '..'), { recursive: true })
    await writeFile(join(clone, path), text)
  }
  for (const path of [
    'bin/firn.js',
    'package.json',
    'scripts/bundle.ts',
    'src/core/installation.ts',
    'src/explorer/bundle.ts',
  ])
    await cp(join(root, path), join(clone, path))
  for (const name of ['main.ts', 'explorer.css', 'logo.svg', 'preview.png'])
    await write(`src/explorer/browser/${name}`, '')
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  await write('src/world/world.ts', 'export {}\n')
  const main = (more: string): string =>
    `import { word } from '../word.ts'\nconst from: string = import.meta.url\nconsole.log(word, from.includes('/dist/'))\n${more}`
  await write('src/cli/main.ts', main(''))
  await write('src/word.ts', `export const word: string = 'one'\n`)
  const said = async (): Promise<string> => {
    const { code, stdout, stderr } = await run(process.execPath, [join(clone, 'bin/firn.js')])
    return code === 0 ? stdout.trim() : stderr
  }
  const bundles = async (): Promise<number> => (await readdir(join(clone, 'dist'))).length - 1

  assert.equal(await said(), 'one true')
  assert.equal(await said(), 'one true')
  assert.equal(await bundles(), 1)
  await write('src/word.ts', `export const word: string = 'three'\n`)
  assert.deepEqual(await Promise.all([said(), said(), said()]), Array(3).fill('three true'))
  assert.equal(await bundles(), 2, 'starts at the same time make one bundle, and leave nothing')

  // What is no TypeScript fails where it would run.
  await write('src/cli/main.ts', main('const = 5\n'))
  assert.match(await said(), /SyntaxError[^]*|ERR_INVALID_TYPESCRIPT_SYNTAX/)
  await write('src/cli/main.ts', main(''))
  await rm(join(clone, 'node_modules'))
  await rm(join(clone, 'dist'), { recursive: true })
  assert.equal(await said(), 'three false')
})
