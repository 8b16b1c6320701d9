/** Chains of this process, as the node listener names them. */

import type { NodeChain } from '../../admin/aliases/alias-rules.ts'
import { blockchainIdText, type ServedChain } from '../../api/operation/chain-directory.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import type { ChainConfig } from '../../config/chain-settings.ts'
import type { Config } from '../../config/settings.ts'
import { parseId, toCb58 } from '../../core/cb58.ts'
import type { ChainStatus } from '../../indexing/run/status-board.ts'
import { pluginChains, primaryStream, type SpecifiedChain } from '../chain-specs.ts'

/** Where the node listener's chains come from. */
type NodeChainsOptions = {
  readonly served: () => readonly ServedChain[]
  readonly networks: () => readonly ServedNetwork[]
  readonly specified: readonly SpecifiedChain[]
  readonly config: Config
  readonly status: () => readonly ChainStatus[]
}

/** Chains as the node listener names them; a new list whenever one came. */
export function nodeChains(options: NodeChainsOptions): () => readonly NodeChain[] {
  let seen: readonly unknown[] = []
  let chains: readonly NodeChain[] = []
  return () => {
    const now = [options.served(), options.networks()]
    if (seen[0] === now[0] && seen[1] === now[1]) return chains
    seen = now
    const primary = options.networks().flatMap((network) => primaryChains(network, options))
    const decoded = pluginChains(options.config).map(pluginChain)
    chains = [...primary, ...options.served().map((chain) => evmChain(chain, options)), ...decoded]
    return chains
  }
}

function evmChain({ facts }: ServedChain, options: NodeChainsOptions): NodeChain {
  const stage = stageReader(options, facts.key, 'blocks')
  const id = blockchainIdText(facts) ?? String(facts.evmChainId)
  const isCChain =
    facts.evmChainId === 43_114 ||
    facts.evmChainId === 43_113 ||
    options.networks().some(({ blockchainIds }) => blockchainIds.C === id)
  return {
    id,
    network: facts.network,
    names: isCChain ? ['C', 'evm'] : [],
    otherNames: [...(isCChain ? ['c-chain'] : []), String(facts.evmChainId)],
    kind: 'evm',
    rpcUrls: options.specified.find(({ spec }) => spec.key === facts.key)?.spec.rpcUrls ?? [],
    isLive: () => stage()?.state === 'live',
    vmId: facts.vmId,
  }
}

/** Its node's RPC at the base, a plugin's decoder beside it. */
function pluginChain(chain: ChainConfig): NodeChain {
  return {
    id: toCb58(parseId(chain.blockchainId)),
    network: chain.network,
    names: [],
    otherNames: [],
    kind: 'plain',
    vmId: chain.vmId,
    rpcUrls: chain.rpcUrls,
    isLive: () => true,
  }
}

const primaryNames = { P: ['P', 'platform', 'p-chain'], X: ['X', 'avm', 'x-chain'] } as const

function primaryChains(
  { network, blockchainIds }: ServedNetwork,
  options: NodeChainsOptions,
): NodeChain[] {
  const nodeUrl = options.config.networks[network]?.nodeUrl ?? ''
  return (['P', 'X'] as const).map((chain) => {
    const stage = stageReader(options, primaryStream(network).key, chain)
    const [name, vm, other] = primaryNames[chain]
    return {
      id: blockchainIds[chain],
      network,
      names: [name, vm],
      otherNames: [other],
      kind: 'plain',
      rpcUrls: nodeUrl === '' ? [] : [`${nodeUrl}/ext/bc/${chain}`],
      isLive: () => stage()?.state === 'live',
    }
  })
}

function stageReader(
  options: NodeChainsOptions,
  key: string,
  name: string,
): () => ChainStatus['stages'][number] | undefined {
  return () =>
    options
      .status()
      .find((chain) => chain.key === key)
      ?.stages.find(({ stage }) => stage === name)
}
