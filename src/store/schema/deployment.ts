/**
 * What the processes of one deployment share beside facts: API keys, keys of page tokens and
 * aliases, each a small document. Used where stores lie on PostgreSQL; processes over one data
 * folder share its files instead.
 */

import { table } from '../engine/table.ts'

/** A document, whole. `revision` grows by one with every change. */
const deploymentDocument = table(
  'deployment_document',
  { name: 'text', content: 'bytes', revision: 'integer' },
  { key: ['name'], layout: 'keyed' },
)

/** Name of the store of documents, one for all processes. */
export const deploymentStore = 'deployment'

/** All tables of the store of documents. */
export const deploymentTables = [deploymentDocument] as const
