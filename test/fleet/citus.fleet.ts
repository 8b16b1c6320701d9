/** Stores on a Citus with two workers: engine, leases, and what is written equals what SQLite has. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { run } from '../support/processes/firn-process.ts'
import { citusFleet, citusFleetName } from '../support/processes/test-settings.ts'
import { startCitus } from './citus-server.ts'

const files = [
  'test/stores/engine.test.ts',
  'test/stores/lease.test.ts',
  'test/fleet/silent-holder.fleet.ts',
  'test/conformance/evm/both-engines.test.ts',
  'test/conformance/nft/both-engines.test.ts',
  'test/conformance/primary/both-engines.test.ts',
]
const skip = citusFleet === undefined && `no script that starts a Citus: ${citusFleetName}`

void test('Citus: stores are those of other engines', { skip }, async (t) => {
  const citus = await startCitus(citusFleet ?? '', 2)
  t.after(() => citus.stop())
  // With its context the runner would take the inner run for its own.
  const { NODE_TEST_CONTEXT: _context, ...environment } = process.env
  for (const file of files)
    await t.test(file, async () => {
      const words = ['--test', '--test-isolation=none', file]
      const env = { ...environment, TEST_CITUS: JSON.stringify(citus.nodes) }
      const { code, stdout } = await run(process.execPath, words, env)
      assert.equal(code, 0, stdout)
    })
})
