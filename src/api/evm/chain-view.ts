/** A chain as the API shows it. */

import { type ChainInfo, chainFeatures } from '../../shape/evm/chain-info.ts'
import { blockchainIdText, type ServedChain } from '../operation/chain-directory.ts'
import { networkToken } from './native-balance.ts'

/** Returns a chain as the API shows it, to a caller that reached it at `origin`. */
export function chainView({ facts, isFollowed, rpc }: ServedChain, origin: string): ChainInfo {
  const ownRpc = rpc === undefined ? '' : `${origin}/v1/chains/${facts.evmChainId}/rpc`
  const view: ChainInfo = {
    chainId: String(facts.evmChainId),
    status: isFollowed() ? 'OK' : 'UNAVAILABLE',
    chainName: facts.name,
    description: facts.description,
    vmName: 'EVM',
    rpcUrl: facts.publicRpcUrl ?? ownRpc,
    isTestnet: facts.network !== 'mainnet',
    networkToken: networkToken(facts),
    enabledFeatures: [...chainFeatures],
  }
  const platformChainId = blockchainIdText(facts)
  if (platformChainId !== undefined) view.platformChainId = platformChainId
  if (facts.subnetId !== undefined) view.subnetId = facts.subnetId
  if (facts.vmId !== undefined) view.vmId = facts.vmId
  if (facts.explorerUrl !== undefined) view.explorerUrl = facts.explorerUrl
  if (facts.publicWsUrl !== undefined) view.wsUrl = facts.publicWsUrl
  if (facts.logoUri !== undefined) view.chainLogoUri = facts.logoUri
  return view
}
