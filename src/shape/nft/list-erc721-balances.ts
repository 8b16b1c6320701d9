/** ERC-721 tokens of an address. */

import { NativeTokenBalance } from '../evm/network-token.ts'
import { ChainAddressPath } from '../evm/path.ts'
import { pageToken, widePageSize } from '../evm/query.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { Erc721TokenBalance } from './nft-balance.ts'
import { contractAddress } from './nft-path.ts'

/** Source: `listErc721Balances` of the public clients. */
export const ListErc721Balances = {
  id: 'listErc721Balances',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc721',
  summary: 'ERC-721 tokens an address owns',
  tag: 'EVM balances',
  weight: 20,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({ contractAddress, pageToken, pageSize: widePageSize }),
  },
  response: Type.Object({
    nextPageToken,
    nativeTokenBalance: NativeTokenBalance,
    erc721TokenBalances: Type.Array(Erc721TokenBalance),
  }),
} as const
