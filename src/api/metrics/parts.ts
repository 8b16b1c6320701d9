/** Parts of the metrics operations. */

import type { AddressUnion } from '../../rollup/address-union.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'

/** Parts that these operations use. */
export type MetricsParts = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly union: AddressUnion
}
