/** All that the metrics operations answer from. */

import type { AddressUnion } from '../../rollup/address-union.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'

/** Chains and the addresses that were active on them. */
export type MetricsContext = {
  readonly chains: ChainDirectory
  readonly tokens: PageTokens
  readonly union: AddressUnion
}
