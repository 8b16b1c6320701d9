/** ERC-20 balances of an address. */

import type { Static } from 'typebox'

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { erc20Fields, TokenReputation } from './erc20-token.ts'
import { Money } from './money.ts'
import { NativeTokenBalance } from './network-token.ts'
import { ChainAddressPath } from './path.ts'
import { blockNumber, currency, pageToken, widePageSize } from './query.ts'
import { decimal } from './scalars.ts'

/** What an address holds of one token. */
export const Erc20TokenBalance = Type.Object(
  {
    ...erc20Fields,
    chainId: decimal('EVM chain id'),
    balance: decimal('Smallest unit of the token'),
    balanceValue: Type.Optional(Money),
    tokenReputation: TokenReputation,
  },
  { $id: 'Erc20TokenBalance', additionalProperties: false },
)
/** Decoded {@link Erc20TokenBalance}. */
export type Erc20TokenBalance = Static<typeof Erc20TokenBalance>

/** Document B, endpoint 5. */
export const ListErc20Balances = {
  id: 'listErc20Balances',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc20',
  summary: 'ERC-20 balances of an address, now or at a block',
  tag: 'EVM balances',
  weight: 20,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({
      blockNumber,
      pageToken,
      pageSize: widePageSize,
      filterSpamTokens: Type.Optional(
        Type.Boolean({ default: true, description: 'Leave tokens out that look like spam' }),
      ),
      contractAddresses: Type.Optional(
        Type.Array(
          Type.String({
            pattern: '^0x[0-9a-fA-F]{40}$',
            allowed: 'an EVM address',
          }),
          {
            description: 'Only these token contracts, separated by commas',
            allowed: 'a list of at most 100 EVM addresses, separated by commas',
            maxItems: 100,
          },
        ),
      ),
      currency,
    }),
  },
  response: Type.Object({
    nextPageToken,
    nativeTokenBalance: NativeTokenBalance,
    erc20TokenBalances: Type.Array(Erc20TokenBalance),
  }),
} as const
