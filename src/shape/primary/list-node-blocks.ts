/** Document A, operation 10: blocks a node proposed. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PrimaryNetworkBlock } from './block.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import { ChainPath, EndTimestamp, PageToken, pageSize, StartTimestamp } from './parameters.ts'

/** Document A, operation 10: blocks a node proposed. */
export const ListNodeBlocks = {
  id: 'listPrimaryNetworkBlocksByNodeId',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks',
  summary: 'Latest blocks proposed by a node',
  tag: 'Primary Network Blocks',
  weight: 20,
  parameters: {
    path: Type.Object({
      ...ChainPath.properties,
      nodeId: Type.String({ description: 'Node id', maxLength: 128 }),
    }),
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
