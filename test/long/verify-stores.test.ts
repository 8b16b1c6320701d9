/** `firn verify --store` as a newcomer runs it, on the folder of the demo network. */

import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { openStore } from '../../src/store/open.ts'
import { evmTables, token } from '../../src/store/schema/evm.ts'
import { icmTables } from '../../src/store/schema/icm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { nftMetadata } from '../../src/store/schema/nft.ts'
import { primaryTables } from '../../src/store/schema/primary/tables.ts'
import type { Table } from '../../src/store/schema/table.ts'
import {
  freshFolder,
  runFirn,
  type RunningFirn,
  startFirn,
  until,
  untilLive,
} from '../support/processes/firn-process.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

const chains = ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji', 'messages']

void test('verify --store: beside a running Firn, and after a change', async (t) => {
  const folder = await freshFolder(t)
  const places = ['--data-dir', folder]
  const firn = await startFirn(t, places)
  await untilLive(firn, chains.slice(0, 3))
  const beside = await runFirn('verify', '--store', ...places)
  assert.equal(beside.code, 0, beside.stdout + beside.stderr)
  for (const chain of chains)
    assert.match(beside.stdout, new RegExp(`^${chain}: \\d+ rows read, all add up$`, 'm'))
  const chain = await runFirn('verify', '--chain', 'fuji-demo-l1', ...places)
  assert.equal(chain.code, 0, chain.stdout + chain.stderr)
  assert.match(chain.stdout, /^transactions +\d{3,}$/m)
  assert.match(chain.stdout, /^differences: 0$/m)
  assert.equal(await firn.end(), 0)

  const file = new DatabaseSync(join(folder, 'fuji-demo-l1.sqlite'))
  file.exec(
    'update evm_transaction set gas_used = gas_used + 1 where pos = (select max(pos) from evm_transaction)',
  )
  file.close()
  const changed = await runFirn('verify', '--store', ...places)
  assert.equal(changed.code, 1)
  assert.match(
    changed.stdout,
    /^DAMAGED fuji-demo-l1: evm_transaction, heights 0 to 255: \d+ rows, changed$/m,
  )
  assert.match(changed.stdout, /^fuji-demo-chain: \d+ rows read, all add up$/m)
  // The same without a configuration that names the stores.
  const elsewhere = await freshFolder(t)
  copyFileSync(join(folder, 'fuji-demo-l1.sqlite'), join(elsewhere, 'fuji-other.sqlite'))
  const other = await runFirn('verify', '--store', '--data-dir', elsewhere)
  assert.equal(other.code, 1, other.stdout + other.stderr)
  assert.match(other.stdout, /^DAMAGED fuji-other: evm_transaction, heights 0 to 255: /m)
  const ended = await runFirn('verify', '--store', '--json', ...places)
  assert.equal(ended.code, 1)
  const { stores } = JSON.parse(ended.stdout) as { stores: { store: string; damaged: unknown[] }[] }
  assert.deepEqual(
    stores.map(({ store, damaged }) => [store, damaged.length]),
    chains.map((chain) => [chain, chain === 'fuji-demo-l1' ? 1 : 0]),
  )
})

void test('verify --store --repair: repaired rows are those that were there', async (t) => {
  const folder = await freshFolder(t)
  const places = ['--data-dir', folder]
  const first = await startFirn(t, places)
  await untilLive(first, chains.slice(0, 3))
  await until('messages live', async () => (await messagesOf(first)) === 'live')
  const running = await runFirn('verify', '--store', '--repair', ...places)
  assert.equal(running.code, 3, running.stdout + running.stderr)
  assert.match(running.stderr, /another Firn writes this data/)
  assert.equal(await first.end(), 0)
  const before = await digests(folder)

  change(folder, 'fuji-demo-l1', 'update transfer set to_id = to_id + 1 where pos % 7 = 0')
  change(folder, 'fuji-demo-l1', 'delete from transfer_by_address where pos % 5 = 0')
  change(folder, 'fuji-demo-chain', "update balance set value = x'01' where height % 3 = 0")
  change(folder, 'primary-fuji', 'delete from spent_holding where utxo % 3 = 0')
  change(folder, 'messages', 'update icm_send set timestamp = timestamp + 1')
  const mended = await runFirn('verify', '--store', '--repair', ...places)
  assert.equal(mended.code, 0, mended.stdout + mended.stderr)
  for (const chain of ['fuji-demo-l1', 'fuji-demo-chain'])
    assert.match(
      mended.stdout,
      new RegExp(`^${chain}: blocks from height 0 on are read again when Firn runs$`, 'm'),
    )
  assert.match(mended.stdout, /^primary-fuji: is replayed from the blocks it keeps$/m)
  assert.equal((await runFirn('verify', '--store', ...places)).code, 0)
  const second = await startFirn(t, places)
  await untilLive(second, chains.slice(0, 3))
  await until('messages live', async () => (await messagesOf(second)) === 'live')
  assert.equal(await second.end(), 0)
  assert.deepEqual(await digests(folder), before)
})

async function messagesOf(firn: RunningFirn): Promise<string> {
  const { messages } = await firn.get('/status')
  return String(objectOf(messages, 'messages')['state'])
}

/** Changes rows past the product. */
function change(folder: string, store: string, sql: string): void {
  const file = new DatabaseSync(join(folder, `${store}.sqlite`))
  const { changes } = file.prepare(sql).run()
  file.close()
  assert.ok(Number(changes) > 0, sql)
}

/** All rows of what blocks hold, by store. */
async function digests(folder: string): Promise<unknown> {
  const location = { store: 'embedded', dataDir: folder }
  const found = new Map<string, unknown>()
  // Contracts are called again and again while Firn runs, and how often is counted in their rows.
  const recalled: readonly Table[] = [token, nftMetadata]
  const ofChain = [...evmTables, ...metricsTables].filter((table) => !recalled.includes(table))
  for (const [key, tables] of [
    ['fuji-demo-chain', ofChain],
    ['fuji-demo-l1', ofChain],
    ['primary-fuji', primaryTables],
    ['messages', icmTables],
  ] as const) {
    const database = await openStore(location, key, tables, 'read')
    found.set(key, await storeDigest(database, tables))
    await database.close()
  }
  return Object.fromEntries(found)
}

void test('verify --store: a folder without stores is an error', async (t) => {
  const folder = await freshFolder(t)
  const { code, stderr } = await runFirn('verify', '--store', '--data-dir', folder)
  assert.equal(code, 1)
  assert.equal(stderr, `firn: nothing is indexed here: ${folder}\n`)
})
