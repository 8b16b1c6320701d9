/** A process that is killed while it brings a store to the next layout. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { openStore } from '../../src/store/open.ts'
import { cutMessages, evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { freezeAt, withSegments } from '../support/stores/freeze-store.ts'
import { laterChain, laterTables } from '../support/stores/later-layouts.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chain = 51_002
const name = `evm-${chain}`
const filling = demoFilling(50, chain)
/** But for what says where history lies, and the sums. */
const kept = evmTables.filter((each) => each !== cutMessages)
const all = { progress: () => undefined }
const mostKills = 30
const migrating = fileURLToPath(
  new URL('../support/processes/migrating-process.ts', import.meta.url),
)

onBothEngines(
  'migrations: a process killed at any statement leaves the layout before, or the next one whole',
  [],
  async ({ location, engine }) => {
    await withSegments(location, async (place) => {
      const before = await openStore(place, name, chainTables, 'write')
      await freezeAt(before, [20, 40])
      const digest = await storeDigest(before, kept)
      await before.close()
      let kills = 0
      const later = { ...place, layouts: laterChain }
      for (let at = 1; at <= mostKills; at++) {
        const child = spawn(
          process.execPath,
          [migrating, JSON.stringify(place), name, String(at)],
          {
            stdio: 'inherit',
          },
        )
        const [, signal] = await once(child, 'exit')
        // There were fewer statements.
        if (signal === null) break
        assert.equal(signal, 'SIGKILL')
        kills++
        // Until the last statement the version before reads it.
        const store = await openStore(place, name, chainTables, 'read').catch(() =>
          openStore(later, name, laterTables, 'read'),
        )
        assert.deepEqual(await storeDigest(store, kept), digest, `${engine}, statement ${at}`)
        await store.close()
      }
      assert.ok(kills >= 15, `killed ${kills} times`)
      const store = await openStore(later, name, laterTables, 'write')
      assert.deepEqual(await storeDigest(store, kept), digest)
      assert.deepEqual(await checkStore(store, laterTables, all), [])
      await store.close()
    })
  },
  filling,
)
