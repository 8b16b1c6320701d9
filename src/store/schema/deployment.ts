/**
 * Small documents that the processes of one deployment share: API keys, keys of page tokens and
 * aliases; and which process indexes which chains. Used where stores lie on PostgreSQL;
 * processes over one data folder share its files instead.
 */

import { table } from '../engine/table.ts'

/** A document, whole. `revision` grows by one with every change. */
const deploymentDocument = table(
  'deployment_document',
  { name: 'text', content: 'bytes', revision: 'integer' },
  { key: ['name'], layout: 'keyed' },
)

/**
 * A process that indexes. `beat` grows as long as it lives; `held` is how many leases it has, `waits`
 * a JSON list of the stores whose lease it waits for.
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
