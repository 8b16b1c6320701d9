/** Holders of tokens, in the form of the original service's lists for airdrops. */

import { Type, Optional } from '../type.ts'
import { pageToken } from './parameters.ts'
import { label } from './token.ts'

/** Holders per page where the caller does not say. */
export const defaultHolders = 1_000

/** Paging of lists of holders: 1 to 5000 per page. */
export const holderPaging = {
  pageToken,
  pageSize: Optional.Integer({
    minimum: 1,
    maximum: 5_000,
    default: defaultHolders,
    description: 'Holders per page; a page may hold fewer and still go on',
  }),
}

/** One holder. */
export const Holder = Type.Object(
  {
    address: Type.String('EIP-55'),
    label,
    sortKey: Type.String('amount held, in the smallest unit', { pattern: '^[0-9]+$' }),
  },
  { $id: 'Holder', description: 'A holder' },
)
