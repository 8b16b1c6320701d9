/** A chain that is served. */

import { Type, type Static, Optional } from '../type.ts'
import { NetworkToken } from './token.ts'

/** Abilities a list of chains can be filtered by; every chain that is served has all. */
export const chainFeatures = ['nftIndexing', 'webhooks', 'teleporter'] as const

/** A chain served here. */
export const ChainInfo = Type.Component('ChainInfo', 'A chain served here', {
  chainId: Type.String('EVM chain id'),
  status: Type.Enum(
    ['OK', 'UNAVAILABLE'],
    'UNAVAILABLE while indexing is stopped or waits for a node',
  ),
  chainName: Type.String('Name'),
  description: Type.String('A sentence about the chain'),
  platformChainId: Optional.String('Blockchain id, cb58'),
  subnetId: Optional.String('Subnet id, cb58'),
  vmId: Optional.String('Virtual machine id, cb58'),
  vmName: Type.Literal('EVM', 'Kind of its virtual machine'),
  explorerUrl: Optional.String('Address of an explorer of the chain', {
    examples: ['https://explorer.example'],
  }),
  rpcUrl: Type.String('Public RPC; empty where the operator names none'),
  wsUrl: Optional.String('Public WebSocket RPC; absent where the operator names none', {
    examples: ['wss://rpc.example/ws'],
  }),
  acceptsTransactions: Type.Optional(
    Type.Literal(true, 'Signed transactions are sent on by `/v1/chains/{chainId}/rpc`'),
  ),
  isTestnet: Type.Boolean('Whether it belongs to the test network'),
  networkToken: NetworkToken,
  chainLogoUri: Optional.String('Logo of the chain'),
  enabledFeatures: Optional.Array(Type.Enum(chainFeatures), 'What can be done with the chain here'),
})
/** Decoded {@link ChainInfo}. */
export type ChainInfo = Static<typeof ChainInfo>
