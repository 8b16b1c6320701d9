/** UTXOs and balances of addresses of the primary network. */

import { balanceSeriesQuery } from '../metrics/metric-point.ts'
import { pageShape } from '../page-shape.ts'
import { Balances } from '../primary/asset.ts'
import {
  Addresses,
  BlockTimestamp,
  ChainPath,
  NetworkPath,
  PageToken,
  PrimaryChainInfo,
  UtxoFilters,
  chainNames,
  pageQuery,
  pageSize,
} from '../primary/parameters.ts'
import { Utxo } from '../primary/utxo.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const response = Type.Component('LastActivity', 'When addresses were last seen', {
  timestamp: Type.Integer('Unix seconds'),
  blockNumber: Type.String('Height of its block', { pattern: '^[0-9]+$' }),
  txHash: Type.String('transaction that made or spent the UTXO, cb58'),
  utxoId: Type.String('cb58'),
  isConsumed: Type.Boolean('spent, else made'),
  chainName: Type.Enum(['p-chain', 'x-chain', 'c-chain'], 'Name of the chain'),
  network: Type.Enum(['mainnet', 'fuji'], 'Network: mainnet, or fuji for any other'),
})

const minUtxoAmount = Optional.Number({
  minimum: 0,
  default: 0,
  description: 'Only UTXOs of at least this, smallest unit',
})

const shared = {
  path: '/v1/networks/{network}/blockchains/{blockchainId}/lastActivityTimestampByAddresses',
  summary:
    'The newest UTXO that transactions of a chain made for, or spent of, any of the addresses',
  weight: 100,
  response,
} as const

/** UTXOs and balances of addresses of the primary network. */
export const PrimaryAddresses = contracts('Primary Network UTXOs', {
  getUtxosByAddressesV2: {
    method: 'POST',
    path: '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
    summary: 'UTXOs of addresses; the addresses in the body',
    weight: 100,
    pathParameters: ChainPath,
    query: { pageToken: PageToken, pageSize: pageSize(10, 1024), ...UtxoFilters },
    body: Type.Object({
      addresses: Type.String(
        'Comma-separated addresses, at most 1,024 unless the deployment says otherwise',
        {
          // 4,096, the most that can be set, of 64 characters each.
          maxLength: 262_144,
        },
      ),
    }),
    response: pageShape({ utxos: Type.Array(Utxo), chainInfo: PrimaryChainInfo }),
  },
  getBalancesByAddresses: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/balances',
    summary: 'Balances of addresses, now or at a moment',
    tag: 'Primary Network Balances',
    weight: 100,
    pathParameters: ChainPath,
    query: { blockTimestamp: BlockTimestamp, addresses: Type.Optional(Addresses) },
    response: Type.Object({ balances: Balances, chainInfo: PrimaryChainInfo }),
  },
  listBalanceSeries: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/balances:listSeries',
    summary: 'Balances of addresses at regular moments, stakes among them, oldest first',
    tag: 'Primary Network Balances',
    weight: 200,
    pathParameters: ChainPath,
    query: { addresses: Addresses, ...balanceSeriesQuery },
    response: Type.Object({
      series: Type.Array(
        Type.Object({
          timestamp: Type.Integer('Unix seconds'),
          balances: Balances,
        }),
        'One for each moment',
      ),
      chainInfo: PrimaryChainInfo,
    }),
  },
  getUtxosByAddresses: {
    path: '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
    summary: 'UTXOs of addresses',
    weight: 100,
    pathParameters: ChainPath,
    query: { addresses: Addresses, ...pageQuery, ...UtxoFilters },
    response: pageShape({ utxos: Type.Array(Utxo), chainInfo: PrimaryChainInfo }),
  },
  getChainIdsForAddresses: {
    path: '/v1/networks/{network}/addresses:listChainIds',
    summary: 'Chains on which addresses were seen',
    tag: 'Primary Network',
    pathParameters: NetworkPath,
    query: { addresses: Addresses },
    response: Type.Object({
      addresses: Type.Array(
        Type.Object(
          {
            address: Type.String('Address'),
            blockchainIds: Type.Array(Type.String('cb58')),
            chainNames: Type.Array(Type.Enum(chainNames), 'in the same order'),
          },
          { additionalProperties: false },
        ),
        'Addresses',
      ),
    }),
  },
  /** Addresses in the query. */
  getLastActivityTimestampByAddresses: {
    ...shared,
    pathParameters: ChainPath,
    query: { addresses: Type.Optional(Addresses), minUtxoAmount },
  },
  /** Addresses in the body. */
  getLastActivityTimestampByAddressesV2: {
    ...shared,
    method: 'POST',
    pathParameters: ChainPath,
    query: { minUtxoAmount },
    body: Type.Object({
      addresses: Type.String('Comma-separated addresses', { maxLength: 512_000 }),
    }),
  },
} as const satisfies Declarations)
