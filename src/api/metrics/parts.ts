/** Parts of the metrics operations. */

import type { AddressUnion } from '../../rollup/address-union.ts'
import type { ChainDirectory } from '../chain-directory.ts'
import type { PageTokens } from '../page-token.ts'

/** Parts that these operations use. */
export type MetricsParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly union: AddressUnion
}
