/** Chains served here, and those on which an address was active. */

import { parseEvmAddress } from '../../../core/address.ts'
import { networkOf } from '../../../core/network.ts'
import { type ChainInfo, chainFeatures } from '../../../shape/evm/chain-info.ts'
import { EvmChains } from '../../../shape/operations/evm-chains.ts'
import { addressId, hasActivity } from '../../../store/query/evm/addresses.ts'
import { blockchainIdText, type ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { networkToken } from '../balances/native-balance.ts'
import type { EvmContext } from '../evm-context.ts'

/** The chains operation document B refers to, in configured order. */
export function listChains({ chains }: EvmContext): Operation<'supportedChains'> {
  return operation(EvmChains.supportedChains, async ({ query, caller }) => {
    const network = query.network === undefined ? undefined : networkOf(query.network)
    const listed = chains
      .all()
      .filter(({ facts }) => network === undefined || facts.network === network)
    return { body: { chains: listed.map((chain) => chainView(chain, caller.origin)) } }
  })
}

/** One chain served here. Throws `not-found`. */
export function getChain({ chains }: EvmContext): Operation<'getChainInfo'> {
  return operation(EvmChains.getChainInfo, async ({ path, caller }) => ({
    body: chainView(chains.find(path.chainId), caller.origin),
  }))
}

/** Chains on which an address was active. Every chain served is indexed. */
export function listAddressChains({ chains }: EvmContext): Operation<'listAddressChains'> {
  return operation(EvmChains.listAddressChains, async ({ path, caller }) => {
    const address = parseEvmAddress(path.address)
    const indexedChains: ChainInfo[] = []
    for (const chain of chains.all()) {
      const id = await addressId(chain.store, address)
      if (id !== undefined && (await hasActivity(chain.store, id)))
        indexedChains.push(chainView(chain, caller.origin))
    }
    return { body: { indexedChains, unindexedChains: [] } }
  })
}

/** Returns a chain as the API shows it, to a caller that reached it at `origin`. */
function chainView({ facts, isFollowed, rpc }: ServedChain, origin: string): ChainInfo {
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
  const wsUrl = facts.publicWsUrl ?? ownRpc.replace(/^http/, 'ws')
  if (wsUrl !== '') view.wsUrl = wsUrl
  if (rpc?.allows('eth_sendRawTransaction') === true) view.acceptsTransactions = true
  if (facts.logoUri !== undefined) view.chainLogoUri = facts.logoUri
  return view
}
