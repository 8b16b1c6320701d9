/**
 * Tests on real servers: `node test/citus/run.ts [beginning of a file's name]`.
 *
 * The conformance tests of stores run on a Citus with two workers; the tests of this folder run on
 * PostgreSQL, with replicas and PgBouncer. What is not there is skipped, visibly; where `CI` is `true`
 * that is a failure.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { citusFleet, citusFleetName } from '../test-settings.ts'
import { fleetScript, startCitus } from './citus-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const onCitus = [
  'test/conformance/store/engine.test.ts',
  'test/conformance/store/lease.test.ts',
  'test/citus/silent-holder.citus.ts',
  'test/conformance/evm/both-engines.test.ts',
  'test/conformance/nft/both-engines.test.ts',
  'test/conformance/primary/both-engines.test.ts',
]
const [, , part = ''] = process.argv
const failed: string[] = []

// Each side waits for servers of its own most of the time.
await Promise.all([
  conformance(onCitus.filter((file) => basename(file).startsWith(part))),
  ofThisFolder(),
])
console.log(failed.length === 0 ? 'all passed' : `failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

async function ofThisFolder(): Promise<void> {
  for (const file of readdirSync(import.meta.dirname))
    if (file.endsWith('.citus.ts') && file.startsWith(part))
      await tests(file, [join('test/citus', file)])
}

async function conformance(files: readonly string[]): Promise<void> {
  const script = fleetScript()
  if (files.length === 0) return
  if (script === undefined) {
    console.log('skipped: no script that starts a Citus: FIRN_CITUS_FLEET')
    if (process.env['CI'] === 'true') failed.push('Citus')
    return
  }
  const citus = await startCitus(script, 2)
  try {
    await tests('conformance on Citus', files, { TEST_CITUS: JSON.stringify(citus.nodes) })
  } finally {
    citus.stop()
  }
}

/** Runs files in a process of their own, and prints what it said when it is over. */
async function tests(
  name: string,
  files: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<void> {
  const words = ['--test', '--test-isolation=none', '--test-reporter=spec', ...files]
  const fleet = citusFleet === undefined ? {} : { [citusFleetName]: citusFleet }
  const env = { ...process.env, ...fleet, ...more }
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: [...stdio] })
  const ended = once(child, 'close')
  console.log(`${name}:\n${await text(child.stdout)}`)
  const [status] = await ended
  if (status !== 0) failed.push(name)
}
