/**
 * Tests on real servers: `node test/citus/run.ts [part of a file's name]`, one file after the other.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [, , part = ''] = process.argv
const failed: string[] = []
for (const file of readdirSync(import.meta.dirname)) {
  if (!file.endsWith('.citus.ts') || !file.includes(part)) continue
  const words = [
    '--test',
    '--test-isolation=none',
    '--test-reporter=spec',
    join('test/citus', file),
  ]
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) failed.push(file)
}
console.log(failed.length === 0 ? 'all passed' : `failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
