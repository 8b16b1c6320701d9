/** Native balance of an address. */

import { Type } from '../type.ts'
import { NativeTokenBalance } from './network-token.ts'
import { ChainAddressPath } from './path.ts'
import { blockNumber, currency } from './query.ts'

/** What an address holds of the native coin, asked of the node. */
export const GetNativeBalance = {
  id: 'getNativeBalance',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/balances:getNative',
  summary: 'Native balance of an address',
  tag: 'EVM balances',
  weight: 20,
  parameters: { path: ChainAddressPath, query: Type.Object({ blockNumber, currency }) },
  response: Type.Object({ nativeTokenBalance: NativeTokenBalance }),
} as const
