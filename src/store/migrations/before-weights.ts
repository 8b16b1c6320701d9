/** The table as it was before processes reported the weight of their chains, layout 5. */

import { table } from '../schema/table.ts'

export const processBeforeWeights = table(
  'deployment_process',
  { owner: 'text', beat: 'integer', held: 'integer', waits: 'text' },
  { key: ['owner'], layout: 'keyed' },
)
