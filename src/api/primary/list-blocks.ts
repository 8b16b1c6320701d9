/** Latest blocks of a chain of the primary network. */

import { pageShape } from '../../shape/page-shape.ts'
import { PrimaryNetworkBlock } from '../../shape/primary/block.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import {
  ChainPath,
  EndTimestamp,
  PageToken,
  pageSize,
  StartTimestamp,
} from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { latestBlocks } from '../../store/query/primary/blocks.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { blockPage } from './block-page.ts'
import { chainOf } from './chain-of.ts'
import type { PrimaryParts } from './parts.ts'

const ListPrimaryBlocks = {
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
  response: pageShape({ blocks: Type.Array(PrimaryNetworkBlock), chainInfo: PrimaryChainInfo }),
} as const

/** Latest blocks, newest first. */
export function listPrimaryBlocks(parts: PrimaryParts): Operation {
  return operation(ListPrimaryBlocks, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    return blockPage(parts, {
      chain,
      query,
      route: ListPrimaryBlocks.id,
      rows: (range) => latestBlocks(chain.store, range),
    })
  })
}
