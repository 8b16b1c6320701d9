/** Blocks, transactions and assets of the P-, X- and C-Chain. */

import { pageShape } from '../page-shape.ts'
import { PrimaryNetworkBlock } from '../primary/block.ts'
import {
  Addresses,
  ChainNodePath,
  ChainPath,
  PrimaryChainInfo,
  SortOrder,
  pageQuery,
  timeQuery,
} from '../primary/parameters.ts'
import { CreatedAsset, PrimaryNetworkTransaction, TxTypes } from '../primary/transaction.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const AssetPath = {
  ...ChainPath,
  assetId: Type.String('asset id, cb58 or hex', { maxLength: 128 }),
}

/** Blocks, transactions and assets of the P-, X- and C-Chain. */
export const PrimaryTransactions = contracts('Primary Network Transactions', {
  listLatestPrimaryNetworkTransactions: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions',
    summary: 'Latest transactions of a chain, of addresses, or of an L1 validation',
    weight: 100,
    pathParameters: ChainPath,
    query: {
      addresses: Type.Optional(Addresses),
      l1ValidationId: Optional.String('L1 validation id, cb58 or hex; P-Chain only', {
        maxLength: 128,
      }),
      txTypes: TxTypes,
      ...timeQuery,
      ...pageQuery,
      sortOrder: SortOrder,
    },
    response: pageShape({
      transactions: Type.Array(PrimaryNetworkTransaction),
      chainInfo: PrimaryChainInfo,
    }),
  },
  listActivePrimaryNetworkStakingTransactions: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking',
    summary: 'Staking transactions of addresses whose stake is active',
    weight: 100,
    pathParameters: ChainPath,
    query: {
      addresses: Type.Optional(Addresses),
      txTypes: TxTypes,
      ...timeQuery,
      ...pageQuery,
      sortOrder: SortOrder,
    },
    response: pageShape({
      transactions: Type.Array(PrimaryNetworkTransaction),
      chainInfo: PrimaryChainInfo,
    }),
  },
  listPrimaryNetworkBlocksByNodeId: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks',
    summary: 'Latest blocks proposed by a node',
    tag: 'Primary Network Blocks',
    pathParameters: ChainNodePath,
    query: { ...timeQuery, ...pageQuery },
    response: pageShape({ blocks: Type.Array(PrimaryNetworkBlock), chainInfo: PrimaryChainInfo }),
  },
  getTxByHash: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/transactions/{txHash}',
    summary: 'One transaction',
    lane: 'item',
    pathParameters: {
      ...ChainPath,
      txHash: Type.String('Transaction id, cb58 or hex', { maxLength: 128 }),
    },
    response: PrimaryNetworkTransaction,
  },
  listLatestPrimaryNetworkBlocks: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/blocks',
    summary: 'Latest blocks of a chain',
    tag: 'Primary Network Blocks',
    pathParameters: ChainPath,
    query: { ...timeQuery, ...pageQuery },
    response: pageShape({ blocks: Type.Array(PrimaryNetworkBlock), chainInfo: PrimaryChainInfo }),
  },
  getBlockById: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}',
    summary: 'One block by height or id',
    tag: 'Primary Network Blocks',
    lane: 'item',
    pathParameters: {
      ...ChainPath,
      blockId: Type.String('Height, or id in cb58 or hex', { maxLength: 128 }),
    },
    response: PrimaryNetworkBlock,
  },
  getAssetDetails: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}',
    summary: 'An asset of the X-Chain',
    tag: 'Primary Network',
    weight: 100,
    pathParameters: AssetPath,
    response: CreatedAsset,
  },
  listAssetTransactions: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}/transactions',
    summary: 'X-Chain transactions that spend, make or create an asset, newest first',
    weight: 100,
    pathParameters: AssetPath,
    query: { txTypes: TxTypes, ...timeQuery, ...pageQuery },
    response: pageShape({
      transactions: Type.Array(PrimaryNetworkTransaction),
      chainInfo: PrimaryChainInfo,
    }),
  },
} as const satisfies Declarations)
