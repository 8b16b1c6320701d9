/** The table of metadata as it was before items were found by their names, layouts 4 to 6. */

import { idsPerSum } from '../schema/sums.ts'
import { sumsBy, table } from '../schema/table.ts'

export const nftMetadataBeforeNames = table(
  'nft_metadata',
  {
    contract_id: 'integer',
    standard: 'integer',
    item: 'bytes',
    uri: 'text',
    status: 'integer',
    updated: 'integer',
    attempts: 'integer',
    due: 'integer?',
    fields: 'text',
  },
  {
    key: ['contract_id', 'standard', 'item'],
    layout: 'keyed',
    sums: sumsBy('contract_id', idsPerSum, ['attempts', 'due']),
    indexes: [{ name: 'nft_metadata_due', columns: ['due'], where: 'due is not null' }],
  },
)
