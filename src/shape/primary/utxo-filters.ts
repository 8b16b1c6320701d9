/** Filters and orders of the UTXO lists. */

import { Type } from '../type.ts'
import { SortOrder } from './parameters.ts'

/** Parameters both UTXO lists take. */
export const UtxoFilters = {
  assetId: Type.Optional(
    Type.String({ description: 'Only this asset, cb58 or hex; X-Chain only', maxLength: 128 }),
  ),
  minUtxoAmount: Type.Optional(
    Type.Number({ minimum: 0, default: 0, description: 'Smallest amount, nAVAX, inclusive' }),
  ),
  includeSpent: Type.Optional(Type.Boolean({ default: false, description: 'Spent UTXOs too' })),
  sortBy: Type.Optional(
    Type.Enum(['timestamp', 'amount'], {
      default: 'timestamp',
      description: 'Order of the list',
    }),
  ),
  sortOrder: SortOrder,
} as const
