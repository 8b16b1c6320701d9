/** A store rebuilt from its kept blocks is the store. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { primaryStoreTables } from '../../../src/indexing/primary/primary-host.ts'
import { rebuildPrimary } from '../../../src/indexing/primary/rebuild.ts'
import { type Database, type Row, statement } from '../../../src/store/engine/database.ts'
import { openStore } from '../../../src/store/engine/open.ts'
import { primaryTables } from '../../../src/store/schema/primary.ts'
import { fileWorld, indexPrimary } from '../../primary-service.ts'

/** Rows of a table without the numbers given in order of arrival, which chains share. */
const facts: Readonly<Record<string, string>> = {
  block: 'select id, hash, parent, type, timestamp, tx_count, outer_id, proposer_time from block',
  tx: 'select pos, tx_id, type, committed, timestamp, utxo_count from tx',
  utxo: `select utxo_id, tx_id, output, created_pos, created_at, spent_pos, spent_at, stake_start,
    stake_end, returned_at, kind, reward from utxo`,
  holding: `select u.utxo_id, a.bytes, h.place, h.created_at, h.kind, h.needed, h.spent_at
    from holding h join utxo u on u.id = h.utxo join address a on a.id = h.address_id`,
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
  raw_block: 'select id, method, bytes from raw_block',
  early_import: 'select utxo_id, body from early_import',
  reward: 'select u.utxo_id, r.staker_tx from reward r join utxo u on u.id = r.utxo',
}

async function textOf(store: Database, question: string): Promise<string[]> {
  const rows = await store.all(statement(question, { bigints: true }))
  const show = (value: Row[number]): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return rows.map((row) => row.map(show).join(' ')).toSorted((a, b) => (a < b ? -1 : 1))
}

void test('rebuild: kept blocks alone give every row again', async () => {
  const folders = ['own', 'again'].map((name) => mkdtempSync(join(tmpdir(), `firn-${name}-`)))
  const [first = '', second = ''] = folders
  const from = await indexPrimary({ store: 'embedded', dataDir: first })
  const to = { store: 'embedded', dataDir: second }
  try {
    await rebuildPrimary({
      from,
      to,
      key: 'primary-fuji',
      world: fileWorld,
      signal: AbortSignal.timeout(60_000),
      progress: () => {},
    })
    const again = await openStore(to, 'primary-fuji', primaryStoreTables, 'read')
    for (const [table, question] of Object.entries(facts)) {
      const [own, other] = [await textOf(from, question), await textOf(again, question)]
      assert.ok(primaryTables.some(({ name }) => name === table))
      assert.deepEqual(other, own, table)
    }
    await again.close()
  } finally {
    await from.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
})
