/** Facts in a primary network's store, whatever the order in which its chains were indexed. */

import { type Database, type Row, statement } from '../../../src/store/engine/database.ts'

// Rows of tables without the numbers given in order of arrival, which chains share.
const questions: Readonly<Record<string, string>> = {
  primary_block:
    'select id, hash, parent, type, timestamp, tx_count, outer_id, proposer_time from primary_block',
  primary_transaction: 'select pos, tx_id from primary_transaction',
  primary_transaction_by_id: 'select prefix, pos from primary_transaction_by_id',
  utxo: 'select id from utxo',
  stray_utxo: 'select prefix, utxo from stray_utxo',
  spend: 'select utxo, pos, spent_at from spend',
  stake_return: 'select utxo, returned_at from stake_return',
  open_holding: `select a.bytes, h.list % 4, h.created_at, h.utxo, h.amount, h.traits % 262144
    from open_holding h join address a on a.id = h.list / 4`,
  spent_holding: `select a.bytes, h.list % 4, h.created_at, h.utxo, h.amount, h.spent_at
    from spent_holding h join address a on a.id = h.list / 4`,
  primary_transaction_by_address: `select a.bytes, t.pos, t.type from primary_transaction_by_address t
    join address a on a.id = t.address_id`,
  staker: `select pos, tx_id, role, status, subnet_id, until, shares, activated_height,
    ended_height, body from staker`,
  cycle: 'select staker, number, height, body from cycle',
  stake_day: 'select subnet_id, day, body from stake_day',
  primary_transaction_by_asset: `select a.asset_id, t.pos, t.type from primary_transaction_by_asset t join asset a on a.id = t.asset`,
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
  const rows = await store.all(statement(question, { over: 'tables', bigints: true }))
  const show = (value: Row[number]): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return rows.map((row) => row.map(show).join(' ')).toSorted((a, b) => (a < b ? -1 : 1))
}

/** Rows by table, as text and sorted. */
export async function factsOf(store: Database): Promise<Record<string, string[]>> {
  const facts: Record<string, string[]> = {}
  for (const [table, question] of Object.entries(questions)) {
    facts[table] = await textOf(store, question)
  }
  return facts
}
