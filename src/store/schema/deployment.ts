/** Tables that the processes of one deployment share: documents, uses of the API, verified contracts. */

import { table } from './table.ts'

/** A document, whole. `revision` grows by one with every change. */
const deploymentDocument = table(
  'deployment_document',
  { name: 'text', content: 'bytes', revision: 'integer' },
  { key: ['name'], layout: 'keyed' },
)

/**
 * A process that indexes. `beat` grows as long as it lives; `held` is how many leases it has, `waits`
 * a JSON list of the stores whose lease it waits for, with `weight:N` in it: what those that it has count for together.
 */
export const deploymentProcess = table(
  'deployment_process',
  { owner: 'text', beat: 'integer', held: 'integer', waits: 'text' },
  { key: ['owner'], layout: 'keyed' },
)

/**
 * An EVM chain that some process of the deployment indexes, by the name of its store. `body` is JSON
 * of what the join of interchain messages needs to know of it.
 */
export const deploymentChain = table(
  'deployment_chain',
  { store: 'text', body: 'text' },
  { key: ['store'], layout: 'keyed' },
)

/** Name of the store of documents, one for all processes. */
export const deploymentStore = 'deployment'

/** All tables of the store of documents. */
export const deploymentTables = [deploymentDocument, deploymentProcess, deploymentChain] as const

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

/**
 * Units used in the newest minute and day, one row per caller. `minute` and `day` are numbers of
 * windows since 1970. `caller` is `key:<id>` or `address:<address>`.
 */
const apiUse = table(
  'api_use',
  {
    caller: 'text',
    minute: 'integer',
    minute_used: 'integer',
    day: 'integer',
    day_used: 'integer',
  },
  { key: ['caller'], layout: 'keyed', indexes: [{ name: 'api_use_by_day', columns: ['day'] }] },
)

/** When a key was last used, Unix seconds. */
export const apiKeyUse = table(
  'api_key_use',
  { id: 'text', used_at: 'integer' },
  { key: ['id'], layout: 'keyed' },
)

/**
 * Answers to keys, counted: one row per key, hour since 1970, operation, status, chain and duration.
 * `chain` is as the path named it, empty without one. `bucket`: the duration was 2^(bucket / 2) ms to
 * 2^((bucket + 1) / 2) ms. `units` are the compute units of all of them.
 */
const apiCallHour = table(
  'api_call_hour',
  {
    key_id: 'text',
    hour: 'integer',
    path: 'text',
    status: 'integer',
    chain: 'text',
    bucket: 'integer',
    requests: 'integer',
    units: 'integer',
  },
  {
    key: ['key_id', 'hour', 'path', 'status', 'chain', 'bucket'],
    layout: 'keyed',
    indexes: [{ name: 'api_call_hour_by_hour', columns: ['hour'] }],
  },
)

/** The newest answers to each key. `at_ms` is when they were given; `body` is JSON of the rest. */
export const apiCall = table(
  'api_call',
  {
    key_id: 'text',
    at_ms: 'integer',
    id: 'text',
    status: 'integer',
    chain: 'text',
    path: 'text',
    body: 'text',
  },
  { key: ['key_id', 'at_ms', 'id'], layout: 'keyed' },
)

/** Name of the store of use, one for all processes. */
export const apiUseStore = 'api-use'

/** All tables of the store of use. */
export const apiUseTables = [apiUse, apiKeyUse, apiCallHour, apiCall] as const
