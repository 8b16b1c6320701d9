/** Chains served here, and calls of their nodes. */

import { ChainInfo, chainFeatures } from '../evm/chain-info.ts'
import { AddressPath, ChainPath, network } from '../evm/parameters.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const CallChain = {
  method: 'POST',
  path: '/v1/chains/{chainId}/rpc',
  summary: 'JSON-RPC of the node of a chain, where the operator offers it',
  weight: 1,
  lane: 'patient',
  isJsonRpc: true,
  pathParameters: ChainPath,
  body: Type.Unknown('a JSON-RPC 2.0 call, or a list of up to 100'),
  response: Type.Unknown('a JSON-RPC 2.0 answer, or a list of them'),
} as const

const ListAddressChains = {
  path: '/v1/address/{address}/chains',
  summary: 'Chains on which an address was active',
  pathParameters: AddressPath,
  response: Type.Object({
    indexedChains: Type.Array(ChainInfo, 'Chains served here on which it was seen'),
    unindexedChains: Type.Array(Type.String(), 'Always empty: other chains are not known here', {
      examples: [[]],
    }),
  }),
} as const

/** Chains served here, and calls of their nodes. */
export const EvmChains = contracts('EVM chains', {
  supportedChains: {
    path: '/v1/chains',
    summary: 'Chains served here',
    weight: 1,
    lane: 'item',
    query: {
      network,
      feature: Optional.Enum(
        chainFeatures,
        'Only chains with this ability; every chain served here has all',
      ),
    },
    response: Type.Object({ chains: Type.Array(ChainInfo) }),
  },
  getChainInfo: {
    path: '/v1/chains/{chainId}',
    summary: 'One chain served here',
    weight: 1,
    lane: 'item',
    pathParameters: ChainPath,
    response: ChainInfo,
  },
  callChain: CallChain,
  callBlockchain: {
    ...CallChain,
    path: '/ext/bc/{chainId}/rpc',
    summary: 'The same at the path of a node',
  },
  listAddressChains: ListAddressChains,
  getAddressChains: {
    ...ListAddressChains,
    path: '/v1/chains/address/{address}',
    summary: 'Older name of /v1/address/{address}/chains',
  },
} as const satisfies Declarations)
