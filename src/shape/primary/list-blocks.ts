/** Latest blocks of a chain of the primary network. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PrimaryNetworkBlock } from './block.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import { ChainPath, EndTimestamp, PageToken, pageSize, StartTimestamp } from './parameters.ts'

/** Latest blocks of a chain of the primary network. */
export const ListPrimaryBlocks = {
  id: 'listLatestPrimaryNetworkBlocks',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/blocks',
  summary: 'Latest blocks of a chain',
  tag: 'Primary Network Blocks',
  weight: 20,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      startTimestamp: StartTimestamp,
      endTimestamp: EndTimestamp,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
    }),
  },
  response: Type.Object({
    nextPageToken,
    blocks: Type.Array(PrimaryNetworkBlock),
    chainInfo: PrimaryChainInfo,
  }),
} as const
