/** `firn verify --store --repair` of a primary network on PostgreSQL, as operators run it. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { type Database, statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { primaryStoreTables } from '../../src/store/schema/stores.ts'
import { factsOf } from '../support/chains/primary-facts.ts'
import { freshFolder, runFirn, startFirn, untilLive } from '../support/processes/firn-process.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'
import { handOn } from '../support/stores/spoilt-stores.ts'

const key = 'primary-fuji'
const namespaces = statement(
  "select nspname from pg_namespace where nspname like 'firn%primary%' order by nspname",
)

void test('repair on PostgreSQL: a primary network is replayed and put in its place', async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  const location = { store: await newDatabase(), dataDir: '' }
  const recording = join(import.meta.dirname, '../../demo/primary-local.firnrec')
  const settings = { store: location.store, networks: { fuji: { recording, primary: true } } }
  await writeFile(config, JSON.stringify(settings))
  const places = ['--config', config, '--data-dir', folder]
  const firn = await startFirn(t, places)
  await untilLive(firn, [key])
  const reader = await openStore(location, key, primaryStoreTables, 'read')
  t.after(() => reader.close())
  const before = await factsOf(reader)
  const rows = await countsOf(reader)

  const hand = handOn({ engine: 'postgres', location }, key)
  await hand('delete from spent_holding where utxo % 3 = 0')
  await hand('update primary_block set timestamp = timestamp + 1 where id % 50 = 5')
  const running = await runFirn('verify', '--store', '--repair', ...places)
  assert.equal(running.code, 3, running.stdout + running.stderr)
  assert.match(running.stderr, /another Firn writes this data; stop it: primary-fuji/)
  assert.equal(await firn.end(), 0)

  const mended = await runFirn('verify', '--store', '--repair', ...places)
  assert.equal(mended.code, 0, mended.stdout + mended.stderr)
  assert.match(mended.stdout, /^DAMAGED primary-fuji: spent_holding, UTXOs numbered .+$/m)
  assert.match(mended.stdout, /^primary-fuji: is replayed from the blocks it keeps$/m)
  assert.match(mended.stdout, /^primary-fuji: \d+ rows read, all add up$/m)
  // Whoever served it meanwhile serves what was put in its place.
  assert.deepEqual(await factsOf(reader), before)
  assert.deepEqual(await countsOf(reader), rows)
  assert.deepEqual(await reader.all(namespaces), [['firn_primary_fuji']])
  const again = await startFirn(t, places)
  await untilLive(again, [key])
  assert.equal(await again.end(), 0)
  assert.equal((await runFirn('verify', '--store', ...places)).code, 0)
})

/** Of the tables that were damaged. */
function countsOf(reader: Database): unknown {
  return reader.all(
    statement(
      'select (select count(*) from spent_holding), (select sum(timestamp) from primary_block)',
      {
        over: 'tables',
      },
    ),
  )
}
