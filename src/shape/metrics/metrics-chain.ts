import { Type, type Static } from '../type.ts'

export const MetricsChain = Type.Component('MetricsChain', 'A chain with metrics', {
  evmChainId: Type.Integer('EVM chain id'),
  chainName: Type.String('name shown'),
  blockchainId: Type.String('blockchain id, cb58; empty when unknown'),
  subnetId: Type.String('subnet id, cb58; empty when unknown'),
  network: Type.Enum(['mainnet', 'testnet'], 'network of the chain'),
})

/** A chain as the metrics API lists it. */
export type MetricsChain = Static<typeof MetricsChain>
