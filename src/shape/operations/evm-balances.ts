/** Balances of coins and tokens, and holders. */

import { Holder, holderPaging } from '../evm/holder.ts'
import {
  ChainAddressPath,
  blockNumber,
  compared,
  currency,
  pageToken,
  widePageSize,
} from '../evm/parameters.ts'
import { address, amount, decimal, moment } from '../evm/scalars.ts'
import { Erc20TokenBalance, NativeTokenBalance } from '../evm/token.ts'
import { balanceSeriesQuery } from '../metrics/metric-point.ts'
import { pageShape } from '../page-shape.ts'
import { type OptionalSchema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const mostTokens = 10

const tokensNamed = (most: number, description: string): OptionalSchema<string[]> =>
  Optional.Array(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', allowed: 'an EVM address' }), {
    description,
    allowed: `a list of at most ${most} EVM addresses, separated by commas`,
    maxItems: most,
  })

/** Balances of coins and tokens, and holders. */
export const EvmBalances = contracts('EVM balances', {
  getAddressesByBalanceOverTime: {
    path: '/v2/chains/{chainId}/contracts/{address}/balances',
    summary: 'Holders of more than so much of an ERC-20 token, now or at some time of a range',
    tag: 'EVM contracts',
    weight: 500,
    pathParameters: ChainAddressPath,
    query: {
      threshold: Optional.String({
        default: '0',
        pattern: '^[0-9]{1,78}$',
        description: 'Only who holds more than this, in the smallest unit',
        allowed: 'a whole number, base 10',
      }),
      startTimestamp: Type.Optional(
        moment('Unix seconds: held more than the threshold then or later'),
      ),
      endTimestamp: Type.Optional(
        moment('Unix seconds: held more than the threshold then or before'),
      ),
      ...holderPaging,
      compared,
    },
    response: pageShape({ addresses: Type.Array(Holder, 'Addresses') }),
  },
  listErc20Balances: {
    path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc20',
    summary: 'ERC-20 balances of an address, now or at a block',
    pathParameters: ChainAddressPath,
    query: {
      blockNumber,
      pageToken,
      pageSize: widePageSize,
      filterSpamTokens: Optional.Boolean({
        default: true,
        description: 'Leave tokens out that look like spam',
      }),
      contractAddresses: tokensNamed(100, 'Only these token contracts, separated by commas'),
      currency,
      compared,
    },
    response: pageShape({
      nativeTokenBalance: NativeTokenBalance,
      erc20TokenBalances: Type.Array(Erc20TokenBalance),
    }),
  },
  getNativeBalance: {
    path: '/v1/chains/{chainId}/addresses/{address}/balances:getNative',
    summary: 'Native balance of an address',
    lane: 'patient',
    pathParameters: ChainAddressPath,
    query: { blockNumber, currency },
    response: Type.Object({ nativeTokenBalance: NativeTokenBalance }),
  },
  listEvmBalanceSeries: {
    path: '/v1/chains/{chainId}/addresses/{address}/balances:listSeries',
    summary: 'Balances of an address at regular moments, the coin and ERC-20 tokens, oldest first',
    weight: 200,
    pathParameters: ChainAddressPath,
    query: {
      contractAddresses: tokensNamed(
        mostTokens,
        'Tokens wanted beside the coin, separated by commas',
      ),
      ...balanceSeriesQuery,
    },
    response: Type.Object({
      series: Type.Array(
        Type.Object({
          timestamp: Type.Integer('Unix seconds'),
          blockNumber: decimal('Last block that is not younger'),
          nativeBalance: Type.Optional(
            amount('Wei, as a node gives it; absent where none has the state of that block', 18),
          ),
          erc20Balances: Type.Array(
            Type.Object({
              contractAddress: address('The token'),
              balance: Type.Optional(
                decimal('Smallest unit; absent where logs do not give it and no node can'),
              ),
            }),
            'Balances of the tokens requested',
          ),
        }),
        'One for each moment',
      ),
      notTold: Optional.Array(Type.String(), 'Values that are absent above, and why', {
        examples: [[]],
      }),
    }),
  },
} as const satisfies Declarations)
