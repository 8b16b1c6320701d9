/** Document A, operation 10: blocks a node proposed. */

import { pageShape } from '../../shape/page-shape.ts'
import { PrimaryNetworkBlock } from '../../shape/primary/block.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import {
  ChainNodePath,
  EndTimestamp,
  PageToken,
  pageSize,
  StartTimestamp,
} from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { numberOfNode } from '../../store/query/primary/addresses.ts'
import { blocksOfNode } from '../../store/query/primary/blocks.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { blockPage } from './block-page.ts'
import { chainOf } from './chain-of.ts'
import { nodeIdIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

const ListNodeBlocks = {
  id: 'listPrimaryNetworkBlocksByNodeId',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks',
  summary: 'Latest blocks proposed by a node',
  tag: 'Primary Network Blocks',
  weight: 20,
  parameters: {
    path: ChainNodePath,
    query: Type.Object({
      startTimestamp: StartTimestamp,
      endTimestamp: EndTimestamp,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
    }),
  },
  response: pageShape({ blocks: Type.Array(PrimaryNetworkBlock), chainInfo: PrimaryChainInfo }),
} as const

/** Latest blocks a node proposed. A node never seen proposed none. */
export function listNodeBlocks(parts: PrimaryParts): Operation {
  return operation(ListNodeBlocks, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const node = await numberOfNode(chain.store, nodeIdIn('nodeId', path.nodeId))
    return blockPage(parts, {
      chain,
      query,
      route: `${ListNodeBlocks.id} ${path.nodeId}`,
      rows: async (range) => (node === undefined ? [] : blocksOfNode(chain.store, node, range)),
    })
  })
}
