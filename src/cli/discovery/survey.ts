/** Looks at an address that a person gave: an AvalancheGo node and its chains, or one EVM chain. */

import { Fault, faultOf } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import { publicNetworks } from '../../core/network.ts'
import type { Transport } from '../../core/world.ts'
import { createNodeApi, isRefusal, nodePaths } from '../../source/primary/node-api.ts'
import { callOne } from '../../source/rpc/json-rpc.ts'
import { integerIn, listIn, textIn } from '../../source/rpc/node-text.ts'

/** How an address is called. */
export type NodeAccess = {
  readonly transport: Transport
  readonly timeoutMs: number
  readonly maxReplyBytes: number
}

/** An EVM chain; ids are cb58, where a node gives them. */
export type FoundChain = {
  readonly name: string
  /** Empty where nobody gives it: neither the P-Chain nor a genesis does. */
  readonly symbol: string
  readonly rpcUrls: readonly string[]
  readonly network: 'mainnet' | 'fuji'
  readonly blockchainId: string
  readonly subnetId: string
  readonly vmId: string
  /** `anew` where the node says that it is one for development. */
  readonly begin?: 'anew'
}

/** A node and what it serves. */
export type FoundNode = {
  readonly url: string
  readonly networkId: number
  readonly version: string
  /** Of P, X and C, those that are not bootstrapped; without P the L1s are not known. */
  readonly bootstrapping: readonly string[]
  readonly chains: readonly FoundChain[]
  /** Names of the blockchains of the network that the node does not serve as EVM chains. */
  readonly others: readonly string[]
}

/** Blockchains that are read at the same time. */
const atOnce = 16

/** Longest wait for the answer of one chain of a node that answers. */
const chainMs = 2_000

// Source: avalanchego utils/constants/vm_ids.go
const avmId = 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq'

/**
 * Surveys the node at `url`. Throws `bad-parameter`, and for what does not answer
 * `node-unreachable`, each with what to do.
 */
export async function surveyNode(url: string, options: NodeAccess): Promise<FoundNode> {
  const base = url.replace(/\/+$/, '')
  if (/\/ext(\/|$)/.test(new URL(base).pathname))
    throw new Fault(
      'bad-parameter',
      `--node takes the base address of a node, ${base.replace(/\/ext(\/.*)?$/, '')}; one EVM chain alone is --rpc ${base}`,
    )
  const signal = AbortSignal.timeout(options.timeoutMs * 4)
  const api = createNodeApi({ ...options, url: base })
  const networkId = await networkIdAt(base, options).catch((error: unknown) =>
    nodeMistake(base, options, error),
  )
  const version = textIn(
    await api.call(nodePaths.info, 'info.getNodeVersion', {}, signal),
    'version',
  )
  const bootstrapping: string[] = []
  for (const chain of ['P', 'X', 'C']) {
    const reply = await api.call(nodePaths.info, 'info.isBootstrapped', { chain }, signal)
    if (reply['isBootstrapped'] !== true) bootstrapping.push(chain)
  }
  const network = networkId === publicNetworks.mainnet.networkId ? 'mainnet' : 'fuji'
  const found: FoundChain[] = []
  const others: string[] = []
  const about = { base, network } as const
  const waiting = bootstrapping.includes('P') ? [] : await blockchainsOf(base, options)
  while (waiting.length > 0) {
    const some = waiting.splice(0, atOnce)
    const chains = await Promise.all(some.map((one) => evmChainOf(one, about, options)))
    for (const [at, chain] of chains.entries()) {
      if (chain !== undefined) found.push(chain)
      else if (some[at]?.['vmID'] !== avmId) others.push(String(some[at]?.['name']))
    }
  }
  return { url: base, networkId, version, bootstrapping, chains: named(found), others }
}

/** Surveys the EVM endpoint at `url`. Throws as {@link surveyNode}. */
export async function surveyRpc(url: string, options: NodeAccess): Promise<FoundChain> {
  const chainId = await chainIdAt(url, options).catch((error: unknown) =>
    rpcMistake(url, options, error),
  )
  const { mainnet, fuji } = publicNetworks
  const isC = chainId === mainnet.evmChainId || chainId === fuji.evmChainId
  return {
    name: isC ? 'C-Chain' : `Chain ${chainId}`,
    symbol: isC ? 'AVAX' : '',
    rpcUrls: [url],
    network: chainId === mainnet.evmChainId ? 'mainnet' : 'fuji',
    blockchainId: '',
    subnetId: '',
    vmId: '',
    ...((await isOfDevelopment(url, options)) && { begin: 'anew' }),
  }
}

/** Nodes that are started for development alone, by what they call themselves. */
const developmentNodes = /^(?:anvil|HardhatNetwork|EthereumJS TestRPC|Ganache)\b/i

/** A node that does not say what it is called is none. */
async function isOfDevelopment(url: string, options: NodeAccess): Promise<boolean> {
  const call = { method: 'web3_clientVersion', params: [] }
  try {
    const answer = await callOne({ ...options, url }, call, AbortSignal.timeout(options.timeoutMs))
    return answer.kind === 'result' && developmentNodes.test(String(answer.result))
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return false
  }
}

async function networkIdAt(base: string, options: NodeAccess): Promise<number> {
  const api = createNodeApi({ ...options, url: base })
  const signal = AbortSignal.timeout(options.timeoutMs)
  return integerIn(await api.call(nodePaths.info, 'info.getNetworkID', {}, signal), 'networkID')
}

async function chainIdAt(url: string, options: NodeAccess): Promise<number> {
  const call = { method: 'eth_chainId', params: [] }
  const answer = await callOne({ ...options, url }, call, AbortSignal.timeout(options.timeoutMs))
  const id = answer.kind === 'result' ? Number(answer.result) : Number.NaN
  if (Number.isSafeInteger(id)) return id
  throw new Fault('node-answer', 'no chain id')
}

type Reply = Readonly<Record<string, unknown>>

/** Blockchains that the P-Chain knows, in the order of their creation. */
async function blockchainsOf(base: string, options: NodeAccess): Promise<Reply[]> {
  const api = createNodeApi({ ...options, url: base })
  const signal = AbortSignal.timeout(options.timeoutMs * 4)
  const reply = await api.tryCall(nodePaths.P, 'platform.getBlockchains', {}, signal)
  return isRefusal(reply) ? [] : listIn(reply, 'blockchains').filter(isObject)
}

/** The chain, where the node serves it as an EVM chain. */
async function evmChainOf(
  { id, name, subnetID, vmID }: Reply,
  { base, network }: { readonly base: string; readonly network: FoundChain['network'] },
  options: NodeAccess,
): Promise<FoundChain | undefined> {
  if (vmID === avmId) return undefined
  const isC = subnetID === publicNetworks.fuji.pChainId
  const url = `${base}/ext/bc/${isC ? 'C' : String(id)}/rpc`
  try {
    await chainIdAt(url, { ...options, timeoutMs: Math.min(options.timeoutMs, chainMs) })
  } catch (error) {
    // A time limit ends in an error of its own.
    if (faultOf(error) === undefined && !(error instanceof DOMException)) throw error
    return undefined
  }
  return {
    name: isC ? 'C-Chain' : String(name),
    symbol: isC ? 'AVAX' : '',
    rpcUrls: [url],
    network,
    blockchainId: String(id),
    subnetId: String(subnetID),
    vmId: String(vmID),
  }
}

/** Two chains of one name are distinguished by their ids. */
function named(chains: readonly FoundChain[]): FoundChain[] {
  const key = ({ name }: FoundChain): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return chains.map((chain, at) =>
    chains.slice(0, at).some((other) => key(other) === key(chain))
      ? { ...chain, name: `${chain.name} ${chain.blockchainId.slice(0, 8)}` }
      : chain,
  )
}

/** Says what is at an address that was taken for a node. */
async function nodeMistake(base: string, options: NodeAccess, error: unknown): Promise<never> {
  if (isAway(error))
    throw new Fault(
      'node-unreachable',
      `no node answers at ${base} (${reasonOf(error)}): start AvalancheGo there, or correct the address`,
      { cause: error },
    )
  const evm = await chainIdAt(base, options).catch(() => undefined)
  throw new Fault(
    'bad-parameter',
    evm === undefined
      ? `what answers at ${base} is no AvalancheGo node: give its base address, by default http://127.0.0.1:9650`
      : `${base} is an EVM endpoint (chain ${evm}), no AvalancheGo node: start with --rpc ${base}`,
    { cause: error },
  )
}

/** Says what is at an address that was taken for an EVM endpoint. */
async function rpcMistake(url: string, options: NodeAccess, error: unknown): Promise<never> {
  const { origin, pathname } = new URL(url)
  const network = await networkIdAt(origin, options).catch(() => undefined)
  if (network !== undefined && pathname.startsWith('/ext/bc/'))
    throw new Fault(
      'node-unreachable',
      `the node at ${origin} does not serve ${pathname}: let it track the chain's subnet (track-subnets) and wait until it is bootstrapped`,
      { cause: error },
    )
  if (network !== undefined)
    throw new Fault(
      'bad-parameter',
      `${url} is an AvalancheGo node: start with --node ${origin}, or with --rpc ${origin}/ext/bc/C/rpc for its C-Chain alone`,
      { cause: error },
    )
  if (isAway(error))
    throw new Fault(
      'node-unreachable',
      `no endpoint answers at ${url} (${reasonOf(error)}): start it, or correct the address`,
      { cause: error },
    )
  throw new Fault(
    'bad-parameter',
    `what answers at ${url} is no EVM endpoint: that of a chain on a node ends in /ext/bc/<chain>/rpc`,
    { cause: error },
  )
}

/** No answer came; a status of error is an answer. */
function isAway(error: unknown): boolean {
  const fault = faultOf(error)
  if (fault === undefined) return error instanceof DOMException
  return fault.code === 'node-unreachable' && fault.cause !== undefined
}

function reasonOf(error: unknown): string {
  return error instanceof DOMException
    ? 'no answer in time'
    : (faultOf(error)?.message.split(': ').at(-1) ?? '')
}
