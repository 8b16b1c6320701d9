/** The package as npm would install it, made without npm. */

import assert from 'node:assert/strict'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { bundleInto } from '../../../scripts/bundle.ts'
import { objectOf } from '../../../src/codec/evm/raw.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Makes `folder`, which must not be there: the files that package.json names, `dist` made, no
 * sources. Packages that it needs are not in it.
 */
export async function packInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
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
  await bundleInto(join(folder, 'dist/program'))
}
