/** ERC-1155 amounts of an address. */

import { NativeTokenBalance } from '../evm/network-token.ts'
import { ChainAddressPath } from '../evm/path.ts'
import { blockNumber, pageToken, widePageSize } from '../evm/query.ts'
import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { Erc1155TokenBalance } from './nft-balance.ts'
import { contractAddress } from './nft-path.ts'

/** Source: `listErc1155Balances` of the public clients. */
export const ListErc1155Balances = {
  id: 'listErc1155Balances',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/balances:listErc1155',
  summary: 'ERC-1155 amounts of an address, now or at a block',
  tag: 'EVM balances',
  weight: 20,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({ blockNumber, contractAddress, pageToken, pageSize: widePageSize }),
  },
  response: Type.Object({
    nextPageToken,
    nativeTokenBalance: NativeTokenBalance,
    erc1155TokenBalances: Type.Array(Erc1155TokenBalance),
  }),
} as const
