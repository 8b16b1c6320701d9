/** Blocks of EVM chains. */

import {
  ChainBlockPath,
  ChainPath,
  PageQuery,
  network,
  pageSize,
  pageToken,
} from '../evm/parameters.ts'
import { EvmBlock } from '../evm/transaction.ts'
import { pageShape } from '../page-shape.ts'
import { Type } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const ListAllBlocks = {
  path: '/v1/blocks',
  summary: 'Latest blocks of all chains, newest first',
  weight: 10,
  query: { network, pageToken, pageSize },
  response: pageShape({ blocks: Type.Array(EvmBlock) }),
} as const

/** Blocks of EVM chains. */
export const EvmBlocks = contracts('EVM blocks', {
  getLatestBlocks: {
    path: '/v1/chains/{chainId}/blocks',
    summary: 'Latest blocks of a chain, newest first',
    weight: 10,
    pathParameters: ChainPath,
    query: PageQuery,
    response: pageShape({ blocks: Type.Array(EvmBlock) }),
  },
  getBlock: {
    path: '/v1/chains/{chainId}/blocks/{blockId}',
    summary: 'A block by number or hash',
    weight: 10,
    lane: 'item',
    pathParameters: ChainBlockPath,
    response: EvmBlock,
  },
  listLatestBlocksAllChains: ListAllBlocks,
  listAllLatestBlocks: {
    ...ListAllBlocks,
    path: '/v1/chains/allBlocks',
    summary: 'Older name of /v1/blocks',
  },
} as const satisfies Declarations)
