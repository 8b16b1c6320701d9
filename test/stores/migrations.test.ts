/** A store of the layout before, brought to a later one: its rows, its sums and its history files stay what they were. */

import assert from 'node:assert/strict'

import { type Database, statement } from '../../src/store/engine/database.ts'
import { mergeInto } from '../../src/store/history/merge-files.ts'
import { SegmentSchema } from '../../src/store/history/segment-schema.ts'
import { ownLayout } from '../../src/store/migrations/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import { cutMessages, evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { freezeAt, mergeAll, segmentsOf, withSegments } from '../support/stores/freeze-store.ts'
import { laterBlock, laterChain, laterTables, note } from '../support/stores/later-layouts.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chain = 51_002
const name = `evm-${chain}`
const filling = demoFilling(50, chain)
/** But for what says where history lies, and the sums. */
const kept = evmTables.filter((each) => each !== cutMessages)
const miners = statement('select count(*), count(miner) from evm_block', { over: 'sum' })
const all = { progress: () => undefined }

onBothEngines(
  'migrations: rows, sums and history of before are there in the next layout',
  [],
  async ({ location, engine }) => {
    await withSegments(location, async (place) => {
      const before = await openStore(place, name, chainTables, 'write')
      await freezeAt(before, [20, 40, 60, 80])
      const digest = await storeDigest(before, kept)
      const total = (
        await before.all(statement('select count(*) from evm_block', { over: 'sum' }))
      )[0]?.[0]
      await before.close()

      const later = { ...place, layouts: laterChain }
      const store = await openStore(later, name, laterTables, 'write')
      assert.deepEqual(await storeDigest(store, kept), digest)
      assert.deepEqual(await checkStore(store, laterTables, all), [])
      assert.deepEqual(await store.get(miners), [total, 0])
      const gone = engine === 'sqlite' ? /no such table/ : /does not exist/
      await assert.rejects(
        async () => store.all(statement(`select * from ${cutMessages.name}`)),
        gone,
      )
      // It is written on, in tables, and what freezes then stands beside files of before.
      await store.transaction(async (writer) => {
        await writer.update(laterBlock, {
          height: [90, 91],
          miner: [Buffer.from('aa', 'hex'), Buffer.from('bb', 'hex')],
        })
        await writer.insert(note, { height: [90] })
      })
      assert.deepEqual(await checkStore(store, laterTables, all), [])
      await freezeAt(store, [95])
      assert.deepEqual(await store.get(miners), [total, 2])
      assert.deepEqual(await storeDigest(store, kept), digest)
      const layoutsOf = async (): Promise<number[]> => {
        const listed = await segmentsOf(store)
        return Promise.all(
          listed.map(async (each) => (await store.history?.file(each))?.layout ?? 0),
        )
      }
      const own = ownLayout
      assert.deepEqual(await layoutsOf(), [own, own, own, own, own + 1])
      // A merge writes the newest layout, whatever it reads.
      await mergedOnce(store)
      assert.deepEqual(await layoutsOf(), [own + 1])
      assert.deepEqual(await store.get(miners), [total, 2])
      assert.deepEqual(await storeDigest(store, kept), digest)
      await store.close()

      // What is there now is not for the version before, which leaves it alone.
      for (const mode of ['read', 'write'] as const)
        await assert.rejects(
          openStore(place, name, chainTables, mode),
          /written by version .* leaves/,
        )
      const again = await openStore(later, name, laterTables, 'read')
      assert.deepEqual(await storeDigest(again, kept), digest)
      await again.close()
    })
  },
  filling,
)

/** All segments of blocks as one. */
async function mergedOnce(store: Database): Promise<void> {
  const isOfBlocks = ({ stage = 'blocks', freezes }: Table): boolean =>
    freezes !== undefined && stage === 'blocks'
  const schema = new SegmentSchema(laterTables.filter(isOfBlocks), laterChain)
  await mergeAll(
    store,
    (segments) => (segments.length > 1 && segments[0]?.stage === 'blocks' ? segments : []),
    (job, pause) => mergeInto(schema, job, pause),
  )
}
