/**
 * Verified contracts of all chains of a deployment, in a store of its own: whoever answers the API writes
 * it, and the stores of chains have one writer each.
 */

import { table } from '../engine/table.ts'

/**
 * A contract whose sources were proved. `code_hash` is that of its code on the chain, `runtime_match` and
 * `creation_match` are 0 (not known), 1 (partial) or 2 (full), `verified_at` Unix seconds. `body` is JSON
 * of the rest, compressed.
 */
export const verifiedContract = table(
  'verified_contract',
  {
    chain_id: 'integer',
    address: 'bytes',
    code_hash: 'bytes',
    runtime_match: 'integer',
    creation_match: 'integer',
    verified_at: 'integer',
    name: 'text',
    version: 'text',
    body: 'bytes',
  },
  {
    key: ['chain_id', 'address'],
    layout: 'keyed',
    indexes: [
      { name: 'verified_contract_by_code', columns: ['code_hash'] },
      { name: 'verified_contract_by_time', columns: ['chain_id', 'verified_at'] },
    ],
  },
)

/** Methods in the ABIs of verified contracts, by their selectors: the first one that had it. */
export const verifiedMethod = table(
  'verified_method',
  { selector: 'integer', signature: 'text' },
  { key: ['selector'], layout: 'keyed' },
)

/** Name of the store of verified contracts, one for all chains. */
export const contractStore = 'contracts'

/** All tables of the store of verified contracts. */
export const contractTables = [verifiedContract, verifiedMethod] as const
