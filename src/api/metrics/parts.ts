/** What the metrics operations are handed. */

import type { AddressUnion } from '../../rollup/address-union.ts'
import type { ChainDirectory } from '../chain-directory.ts'
import type { PageTokens } from '../page-token.ts'

/** What these operations need. */
export type MetricsParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly union: AddressUnion
}
