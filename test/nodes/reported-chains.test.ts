/** A process reports its chains to the others, also where the database is away at first. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import { chainShares } from '../../src/indexing/stream/chain-shares.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { reportedChainBodies } from '../../src/store/query/deployment.ts'
import { deploymentStore, deploymentTables } from '../../src/store/schema/deployment.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { systemClock } from '../support/processes/system-clock.ts'

void test('reported chains: a commit that fails at first is retried', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-reported-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const store: StoreLocation = { store: 'embedded', dataDir }
  let failures = 0
  const failing: StoreLocation = {
    ...store,
    around: async (open) => {
      const opened = await open()
      return {
        ...opened,
        transaction: (work, how) => {
          if (failures++ === 0) throw new Fault('store-failed', 'the database is away')
          return opened.transaction(work, how)
        },
      }
    },
  }
  const chain = { key: 'fuji-c', network: 'fuji', contracts: [] } as const
  const ending = new AbortController()
  let rounds = 0
  const shares = chainShares({
    store: failing,
    owner: 'one',
    keys: [chain.key],
    messengers: [chain],
    clock: {
      ...systemClock,
      sleep: async () => {
        if (++rounds === 3) ending.abort()
      },
    },
    log: silentLog,
    signal: ending.signal,
  })
  await shares.stream.run(ending.signal)
  const other = await openStore(store, deploymentStore, deploymentTables, 'write')
  assert.deepEqual(await reportedChainBodies(other), [JSON.stringify(chain)])
  await other.close()
})
