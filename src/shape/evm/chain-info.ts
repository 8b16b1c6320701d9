/** A chain that is served. */

import { Type, type Static } from '../type.ts'
import { NetworkToken } from './token.ts'

/** Abilities a list of chains can be filtered by; every chain that is served has all. */
export const chainFeatures = ['nftIndexing', 'webhooks', 'teleporter'] as const

/** A chain served here. */
export const ChainInfo = Type.Object(
  {
    chainId: Type.String({ description: 'EVM chain id' }),
    status: Type.Enum(['OK', 'UNAVAILABLE'], {
      description: 'UNAVAILABLE while indexing is stopped or waits for a node',
    }),
    chainName: Type.String({ description: 'Name' }),
    description: Type.String({ description: 'A sentence about the chain' }),
    platformChainId: Type.Optional(Type.String({ description: 'Blockchain id, cb58' })),
    subnetId: Type.Optional(Type.String({ description: 'Subnet id, cb58' })),
    vmId: Type.Optional(Type.String({ description: 'Virtual machine id, cb58' })),
    vmName: Type.Literal('EVM'),
    explorerUrl: Type.Optional(Type.String()),
    rpcUrl: Type.String({ description: 'Public RPC; empty where the operator names none' }),
    wsUrl: Type.Optional(
      Type.String({ description: 'Public WebSocket RPC; absent where the operator names none' }),
    ),
    isTestnet: Type.Boolean({ description: 'Whether it belongs to the test network' }),
    networkToken: NetworkToken,
    chainLogoUri: Type.Optional(Type.String()),
    enabledFeatures: Type.Optional(Type.Array(Type.Enum([...chainFeatures]))),
  },
  { $id: 'ChainInfo', additionalProperties: false },
)
/** Decoded {@link ChainInfo}. */
export type ChainInfo = Static<typeof ChainInfo>
