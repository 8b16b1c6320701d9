/**
 * Steps that npm runs around packing: `node scripts/pack.ts begin`, then `node scripts/pack.ts end`.
 *
 * Node strips no types from files below `node_modules`, so the package carries a bundle, made here.
 * The platform packages of Node are for checkouts only (decision 0001): package.json goes without
 * them into the package, and comes back afterwards.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../src/codec/evm/raw.ts'
import { bundleInto } from './bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = `${root}package.json`
// Lies beside the other only while npm packs, or after npm was killed meanwhile.
const kept = `${root}package.json.kept`

switch (process.argv[2]) {
  case 'begin':
    restore()
    await build()
    slim()
    break
  case 'end':
    restore()
    break
  default:
    throw new Error('node scripts/pack.ts begin|end')
}

async function build(): Promise<void> {
  rmSync(`${root}dist`, { recursive: true, force: true })
  await bundleInto(`${root}dist/program`)
}

function slim(): void {
  const text = readFileSync(manifest, 'utf8')
  const { optionalDependencies: _runtime, ...rest } = objectOf(JSON.parse(text), 'package.json')
  writeFileSync(kept, text)
  // An image is built without the repository.
  const head = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  const gitHead = head.status === 0 ? head.stdout.trim() : undefined
  writeFileSync(manifest, `${JSON.stringify({ ...rest, gitHead }, undefined, 2)}\n`)
}

function restore(): void {
  if (existsSync(kept)) renameSync(kept, manifest)
}
