/** A store rebuilt from its kept blocks is the store. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { primaryStoreTables } from '../../../src/indexing/primary/primary-host.ts'
import { rebuildPrimary } from '../../../src/indexing/primary/rebuild.ts'
import { type Database, type Row, statement } from '../../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../../src/store/engine/open.ts'
import { rawBlocksFrom } from '../../../src/store/query/primary/raw-blocks.ts'
import { primaryTables } from '../../../src/store/schema/primary.ts'
import { startPostgres } from '../../postgres.ts'
import { fileWorld, indexPrimary } from '../../primary-service.ts'

/** Rows of a table without the numbers given in order of arrival, which chains share. */
const facts: Readonly<Record<string, string>> = {
  block: 'select id, hash, parent, type, timestamp, tx_count, outer_id, proposer_time from block',
  tx: 'select pos, tx_id from tx',
  tx_by_id: 'select prefix, pos from tx_by_id',
  utxo: 'select id from utxo',
  stray_utxo: 'select prefix, utxo from stray_utxo',
  spend: 'select utxo, pos, spent_at from spend',
  stake_return: 'select utxo, returned_at from stake_return',
  open_holding: `select a.bytes, h.list % 4, h.created_at, h.utxo, h.amount, h.traits % 262144
    from open_holding h join address a on a.id = h.list / 4`,
  spent_holding: `select a.bytes, h.list % 4, h.created_at, h.utxo, h.amount, h.spent_at
    from spent_holding h join address a on a.id = h.list / 4`,
  tx_by_address: `select a.bytes, t.pos, t.type from tx_by_address t
    join address a on a.id = t.address_id`,
  staker: `select pos, tx_id, role, status, subnet_id, until, shares, activated_height,
    ended_height, body from staker`,
  subnet: 'select pos, subnet_id, body from subnet',
  blockchain: 'select pos, blockchain_id, subnet_id, name, genesis from blockchain',
  l1_validator: 'select validation_id, subnet_id, active, removed_height, body from l1_validator',
  l1_change: 'select l1_id, height, pos, body from l1_change',
  supply: 'select subnet_id, amount from supply',
  progress: 'select chain, body from progress',
  early_import: 'select tx_id, output_index, body from early_import',
  reward: 'select utxo, staker_tx from reward',
}

async function textOf(store: Database, question: string): Promise<string[]> {
  const rows = await store.all(statement(question, { bigints: true }))
  const show = (value: Row[number]): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return rows.map((row) => row.map(show).join(' ')).toSorted((a, b) => (a < b ? -1 : 1))
}

async function check(from: StoreLocation, to: StoreLocation, key: string): Promise<void> {
  const first = await indexPrimary(from)
  try {
    await rebuildPrimary({
      from: first,
      to,
      key,
      world: fileWorld,
      signal: AbortSignal.timeout(60_000),
      progress: () => {},
    })
    const again = await openStore(to, key, primaryStoreTables, 'read')
    for (const [table, question] of Object.entries(facts)) {
      const [own, other] = [await textOf(first, question), await textOf(again, question)]
      assert.ok(primaryTables.some(({ name }) => name === table))
      assert.deepEqual(other, own, table)
    }
    const raw = (store: Database): Promise<unknown> => rawBlocksFrom(store, -1, 10_000)
    assert.deepEqual(await raw(again), await raw(first))
    await again.close()
  } finally {
    await first.close()
  }
}

void test('rebuild: kept blocks alone give every row again', async () => {
  const folders = ['own', 'again'].map((name) => mkdtempSync(join(tmpdir(), `firn-${name}-`)))
  const [first = '', second = ''] = folders
  try {
    const to = { store: 'embedded', dataDir: second }
    await check({ store: 'embedded', dataDir: first }, to, 'primary-fuji')
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
})

void test('rebuild: a PostgreSQL store is made again in a namespace beside it', async (t) => {
  const server = await startPostgres()
  t.after(() => server.stop())
  const location = { store: server.url, dataDir: '' }
  await check(location, location, 'rebuilt-primary-fuji')
})
