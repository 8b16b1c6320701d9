/** Assets of the X-Chain and their transactions. Source: official clients, XChainAssetDetails. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import { ChainPath, EndTimestamp, PageToken, pageSize, StartTimestamp } from './parameters.ts'
import { CreatedAsset, PrimaryNetworkTransaction, TxTypes } from './transaction.ts'

const AssetPath = Type.Object({
  ...ChainPath.properties,
  assetId: Type.String({ description: 'asset id, cb58 or hex', maxLength: 128 }),
})

/** One asset. */
export const GetAssetDetails = {
  id: 'getAssetDetails',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}',
  summary: 'An asset of the X-Chain',
  tag: 'Primary Network',
  weight: 100,
  parameters: { path: AssetPath, query: Type.Object({}) },
  response: CreatedAsset,
} as const

/** Transactions of an asset. */
export const ListAssetTransactions = {
  id: 'listAssetTransactions',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}/transactions',
  summary: 'X-Chain transactions that spend, make or create an asset, newest first',
  tag: 'Primary Network Transactions',
  weight: 100,
  parameters: {
    path: AssetPath,
    query: Type.Object({
      txTypes: TxTypes,
      startTimestamp: StartTimestamp,
      endTimestamp: EndTimestamp,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
    }),
  },
  response: Type.Object({
    nextPageToken,
    transactions: Type.Array(PrimaryNetworkTransaction),
    chainInfo: PrimaryChainInfo,
  }),
} as const
