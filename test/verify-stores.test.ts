/** `firn verify --store` as a newcomer runs it, on the folder of the demo network. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { freshFolder, runFirn, startFirn, untilLive } from './firn-process.ts'

const chains = ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji', 'messages']

void test('verify --store: beside a running Firn, after a change, and without sums', async (t) => {
  const folder = await freshFolder(t)
  const places = ['--data-dir', folder]
  const firn = await startFirn(t, places)
  await untilLive(firn, chains.slice(0, 3))
  const beside = await runFirn('verify', '--store', ...places)
  assert.equal(beside.code, 0, beside.stdout + beside.stderr)
  for (const chain of chains)
    assert.match(beside.stdout, new RegExp(`^${chain}: \\d+ rows read, all add up$`, 'm'))
  assert.equal(await firn.end(), 0)

  const file = new DatabaseSync(join(folder, 'fuji-demo-l1.sqlite'))
  file.exec('update tx set gas_used = gas_used + 1 where pos = (select max(pos) from tx)')
  file.close()
  const changed = await runFirn('verify', '--store', ...places)
  assert.equal(changed.code, 1)
  assert.match(changed.stdout, /^DAMAGED fuji-demo-l1: tx, heights 0 to 255: \d+ rows, changed$/m)
  assert.match(changed.stdout, /^fuji-demo-chain: \d+ rows read, all add up$/m)
  const told = await runFirn('verify', '--store', '--json', ...places)
  assert.equal(told.code, 1)
  const { stores } = JSON.parse(told.stdout) as { stores: { store: string; damaged: unknown[] }[] }
  assert.deepEqual(
    stores.map(({ store, damaged }) => [store, damaged.length]),
    chains.map((chain) => [chain, chain === 'fuji-demo-l1' ? 1 : 0]),
  )

  const made = await runFirn('rebuild', '--checksums', ...places)
  assert.equal(made.code, 0, made.stderr)
  assert.equal((await runFirn('verify', '--store', ...places)).code, 0)
})

void test('verify --store: a folder without stores is told', async (t) => {
  const folder = await freshFolder(t)
  const { code, stderr } = await runFirn('verify', '--store', '--data-dir', folder)
  assert.equal(code, 1)
  assert.equal(stderr, `firn: nothing is indexed here: ${folder}\n`)
})
