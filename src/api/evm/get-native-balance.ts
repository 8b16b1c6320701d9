/** Native balance of an address. */

import { parseEvmAddress } from '../../core/address.ts'
import { ChainAddressPath, blockNumber, currency } from '../../shape/evm/parameters.ts'
import { NativeTokenBalance } from '../../shape/evm/token.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { balanceHeight } from './balance-height.ts'
import { nativeBalance } from './native-balance.ts'
import type { EvmParts } from './parts.ts'

const GetNativeBalance = {
  id: 'getNativeBalance',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/balances:getNative',
  summary: 'Native balance of an address',
  tag: 'EVM balances',
  weight: 20,
  parameters: { path: ChainAddressPath, query: Type.Object({ blockNumber, currency }) },
  response: Type.Object({ nativeTokenBalance: NativeTokenBalance }),
} as const

/** Native balance of an address, as the node reports it. */
export function getNativeBalance({ chains, prices }: EvmParts): Operation {
  return operation(GetNativeBalance, async ({ path, query, signal }) => {
    const chain = chains.find(path.chainId)
    const asked = await balanceHeight(chain, query.blockNumber)
    const nativeTokenBalance = await nativeBalance(prices, chain, {
      address: parseEvmAddress(path.address),
      height: asked,
      currency: query.currency ?? 'usd',
      signal,
    })
    return { body: { nativeTokenBalance } }
  })
}
