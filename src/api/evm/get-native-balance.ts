/** Native balance of an address. */

import { parseEvmAddress } from '../../core/address.ts'
import { GetNativeBalance } from '../../shape/evm/get-native-balance.ts'
import { operation, type Operation } from '../operation.ts'
import { balanceHeight } from './balance-height.ts'
import { nativeBalance } from './native-balance.ts'
import type { EvmParts } from './parts.ts'

/** What an address holds of the native coin, asked of the node. */
export function getNativeBalance({ chains, prices }: EvmParts): Operation {
  return operation(GetNativeBalance, async ({ path, query, signal }) => {
    const chain = chains.find(path.chainId)
    const { asked } = await balanceHeight(chain, query.blockNumber)
    const nativeTokenBalance = await nativeBalance(prices, chain, {
      address: parseEvmAddress(path.address),
      height: asked,
      currency: query.currency ?? 'usd',
      signal,
    })
    return { body: { nativeTokenBalance } }
  })
}
