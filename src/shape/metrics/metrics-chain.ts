import { Type, type Static } from '../type.ts'

export const MetricsChain = Type.Object(
  {
    evmChainId: Type.Integer({ description: 'EVM chain id' }),
    chainName: Type.String({ description: 'name shown' }),
    blockchainId: Type.String({ description: 'blockchain id, cb58; empty when unknown' }),
    subnetId: Type.String({ description: 'subnet id, cb58; empty when unknown' }),
    network: Type.Enum(['mainnet', 'testnet'], { description: 'network of the chain' }),
  },
  { $id: 'MetricsChain', additionalProperties: false },
)

/** A chain as the metrics API lists it. */
export type MetricsChain = Static<typeof MetricsChain>
