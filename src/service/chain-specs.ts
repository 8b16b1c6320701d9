/** Turns the configuration into instructions for the indexing threads. */

import type { ChainConfig, NetworkConfig } from '../config/chain-settings.ts'
import type { Config } from '../config/settings.ts'
import { to0x } from '../core/bytes.ts'
import { parseId } from '../core/cb58.ts'
import { Fault } from '../core/fault.ts'
import { type Network, publicNetworks } from '../core/network.ts'
import type { ChainSpec, SourceLimits } from '../indexing/stream/chain-spec.ts'
import type { StreamSpec } from '../indexing/stream/stream-spec.ts'
import { logEnding, logStoreOf } from '../store/schema/logs.ts'
import { nftFetching } from './tokens/nft-fetching.ts'

/** A configured chain, and its instructions for indexing. */
export type SpecifiedChain = { readonly config: ChainConfig; readonly spec: ChainSpec }

/** Store of interchain messages, over all chains. */
export const messageStore = 'messages'

/** Teleporter messenger of every chain. Source: icm-services, deployed by Nick's method. */
export const icmContract = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'

/** Specifications of all chains. Throws `bad-config` when two would share a store. */
export function chainSpecs(config: Config): SpecifiedChain[] {
  const taken = new Set<string>()
  const nftMetadata = nftFetching(config.nftMetadata)
  const checkCopied = config['index.checkCopied']
  const fetching = nftMetadata === undefined ? {} : { nftMetadata }
  const { recordedTime } = config
  const held = recordedTime === undefined ? {} : { recordedTime }
  return config.chains.filter(isEvm).map((chain, at) => {
    const key = keyOfChain(chain, at)
    if (taken.has(key)) throw new Fault('bad-config', `two chains have one name: ${chain.name}`)
    taken.add(key)
    if (chain.logs === 'on') takeLogStore(key, taken)
    return { config: chain, spec: { ...specOf(chain, key), ...fetching, ...held, checkCopied } }
  })
}

// Names of stores have 48 characters at most.
const longestKey = 48 - logEnding.length

/** Names the store of a chain's logs. Throws `bad-config`. */
function takeLogStore(key: string, taken: Set<string>): void {
  if (key.length > longestKey)
    throw new Fault('bad-config', `the name of a chain with logs is too long: ${key}`)
  if (taken.has(logStoreOf(key)))
    throw new Fault('bad-config', `a chain has the name of another one's logs: ${logStoreOf(key)}`)
  taken.add(logStoreOf(key))
}

/**
 * Chains of virtual machines that are no EVM: passed through and decoded by plugins, not indexed.
 */
export function pluginChains(config: Config): readonly ChainConfig[] {
  return config.chains.filter((chain) => !isEvm(chain))
}

// Source: avalanchego utils/constants/vm_ids.go; subnet-evm's id is the name padded with zeros.
const evmIds: readonly string[] = [
  '',
  'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
  'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy',
]

/** Custom EVMs have VM ids of their own, so a URL of a chain that ends in `/rpc` counts too. */
function isEvm(chain: ChainConfig): boolean {
  return (
    evmIds.includes(chain.vmId) ||
    chain.rpcUrls.some((url) => /\/rpc\/?$/.test(url)) ||
    chain.recording !== ''
  )
}

/** Key and shown name of the stream that indexes a primary network. */
export function primaryStream(network: Network): { readonly key: string; readonly name: string } {
  const name = network === 'mainnet' ? 'Primary Network' : 'Primary Network (test)'
  return { key: `primary-${network}`, name }
}

/** Streams beside the EVM chains: primary networks and interchain messages. */
export function streamSpecs(config: Config, chains: readonly SpecifiedChain[]): StreamSpec[] {
  const specs: StreamSpec[] = []
  for (const [given, network] of Object.entries(config.networks)) {
    if (network === undefined || !network.primary) continue
    const name = given === 'mainnet' ? 'mainnet' : 'fuji'
    specs.push({
      kind: 'primary',
      ...primaryStream(name),
      network: name,
      nodeUrl: network.nodeUrl,
      genesis: network.genesis,
      cAtomic:
        network.cAtomic === 'on' || (network.cAtomic === 'auto' && network.source === 'node'),
      ...(network.recording === ''
        ? {}
        : { recording: network.recording, recordedTime: config.recordedTime }),
      peers:
        network.source === 'node'
          ? undefined
          : {
              networkId: networkIdOf(name, network),
              addresses: network.peers,
              upgradeFile: network.upgradeFile,
              folder: `${config.dataDir}/peers/${name}`,
            },
    })
  }
  if (chains.length > 0) {
    specs.push({
      kind: 'icm',
      key: messageStore,
      network: 'fuji',
      name: 'Interchain messages',
      chains: chains.map(({ spec }) => ({
        key: spec.key,
        network: spec.network,
        contracts: [icmContract, ...spec.icmContracts],
        blockchainId: spec.blockchainId,
      })),
    })
  }
  return specs
}

/** Id of a network that no node gives. */
export function networkIdOf(
  name: Network,
  { networkId }: Pick<NetworkConfig, 'networkId'>,
): number {
  return networkId === 0 ? publicNetworks[name].networkId : networkId
}

/** Limits of reading nodes, from the settings `source.*`. */
export function sourceLimits(config: Config): SourceLimits {
  return {
    timeoutMs: config['source.timeoutMs'],
    traceTimeoutMs: config['source.traceTimeoutMs'],
    maxInFlight: config['source.maxInFlight'],
    maxReplyBytes: config['source.maxReplyBytes'],
    bufferBytes: config['source.bufferBytes'],
    checkEvery: config['source.checkEvery'],
  }
}

/**
 * Name of the store: what the chain says, else the network and the chain's name in lower case,
 * `fuji-c-chain`. Throws `bad-config`.
 */
function keyOfChain(chain: ChainConfig, at: number): string {
  if (chain.store !== '') {
    const isName = /^[a-z0-9-]{1,48}$/.test(chain.store)
    if (isName && chain.store.startsWith(`${chain.network}-`)) return chain.store
    throw new Fault(
      'bad-config',
      `chains[${at}].store must be ${chain.network}- and small letters, digits or dashes: ${chain.store}`,
    )
  }
  const name = chain.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `${chain.network}-${name === '' ? `chain-${at + 1}` : name}`.slice(0, 48)
}

function specOf(chain: ChainConfig, key: string): ChainSpec {
  return {
    key,
    network: chain.network,
    name: chain.name,
    symbol: chain.symbol,
    rpcUrls: chain.rpcUrls,
    traces: chain.traces,
    startHeight: chain.startHeight,
    beginsAnew: chain.begin === 'anew',
    keepsLogs: chain.logs === 'on',
    wrappedTokens: chain.wrappedTokens.map((token) => token.toLowerCase()),
    icmContracts: chain.icmContracts.map((contract) => contract.toLowerCase()),
    blockchainId: chain.blockchainId === '' ? undefined : to0x(parseId(chain.blockchainId)),
    recording: chain.recording === '' ? undefined : chain.recording,
  }
}
