/** When addresses were last active. Source: official clients, LastActivityTimestamp. */

import { Type } from '../type.ts'
import { Addresses, ChainPath } from './parameters.ts'

const response = Type.Object(
  {
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    blockNumber: Type.String(),
    txHash: Type.String({ description: 'transaction that made or spent the UTXO, cb58' }),
    utxoId: Type.String({ description: 'cb58' }),
    isConsumed: Type.Boolean({ description: 'spent, else made' }),
    chainName: Type.Enum(['p-chain', 'x-chain', 'c-chain']),
    network: Type.Enum(['mainnet', 'fuji']),
  },
  { $id: 'LastActivity', additionalProperties: false },
)

const minUtxoAmount = Type.Optional(
  Type.Number({
    minimum: 0,
    default: 0,
    description: 'Only UTXOs of at least this, smallest unit',
  }),
)

const shared = {
  path: '/v1/networks/{network}/blockchains/{blockchainId}/lastActivityTimestampByAddresses',
  summary:
    'The newest UTXO that transactions of a chain made for, or spent of, any of the addresses',
  tag: 'Primary Network UTXOs',
  weight: 100,
  response,
} as const

/** Addresses in the query. */
export const GetLastActivity = {
  ...shared,
  id: 'getLastActivityTimestampByAddresses',
  method: 'GET',
  parameters: {
    path: ChainPath,
    query: Type.Object({ addresses: Type.Optional(Addresses), minUtxoAmount }),
  },
} as const

/** Addresses in the body. */
export const GetLastActivityOfMany = {
  ...shared,
  id: 'getLastActivityTimestampByAddressesV2',
  method: 'POST',
  parameters: {
    path: ChainPath,
    query: Type.Object({ minUtxoAmount }),
    body: Type.Object({
      addresses: Type.String({ description: 'Comma-separated addresses', maxLength: 512_000 }),
    }),
  },
} as const
