/**
 * The EVM chains served here, and how callers may name them: EVM chain id in decimal, blockchain
 * id in cb58 or hex, or an alias given by the operator.
 *
 * EVM chain ids are not unique: of two chains with one id the first configured answers to it, the
 * other to its blockchain id.
 */

import type { RawUnit } from '../../codec/evm/raw.ts'
import { toHex } from '../../core/bytes.ts'
import { parseId, toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { publicNetworks, type Network } from '../../core/network.ts'
import type { Database } from '../../store/engine/database.ts'

/** Facts about a chain that its blocks do not contain. */
export type ChainFacts = {
  /** Name of the store, for instance `evm-51001`; also the chain's key in `/status` and logs. */
  readonly key: string
  readonly network: Network
  readonly evmChainId: number
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly description: string
  readonly logoUri?: string
  readonly explorerUrl?: string
  readonly publicRpcUrl?: string
  readonly publicWsUrl?: string
  /** 32 bytes. */
  readonly blockchainId?: Uint8Array | undefined
  readonly subnetId?: string
  readonly vmId?: string
  /** Registry of names, 20 bytes. */
  readonly nameRegistry?: Uint8Array | undefined
}

/** A call or a transaction that is tried; `0x` hex, numbers without leading zeros. */
export type Tried = {
  readonly from?: string | undefined
  /** Absent: it creates a contract. */
  readonly to?: string | undefined
  readonly data: string
  readonly value?: string | undefined
  readonly gas?: string | undefined
}

/** Given for it by a node: the bytes that it returned, or with which it failed, and by what. */
export type Outcome =
  | { readonly kind: 'returned'; readonly bytes: Uint8Array }
  | { readonly kind: 'reverted'; readonly bytes: Uint8Array; readonly reason?: string | undefined }
  | { readonly kind: 'not-served'; readonly reason: string }

/** State that must be read from a node, at a height or at the newest block. Throws `not-served`. */
export type StateReader = {
  /** Wei. */
  readonly balance: (
    address: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ) => Promise<bigint>
  readonly code: (
    address: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ) => Promise<Uint8Array>
  /** Result of a call, or `undefined` when the contract reverted. */
  readonly call: (
    to: Uint8Array,
    data: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
  ) => Promise<Uint8Array | undefined>
  /** Many calls at one height, in their order. */
  readonly calls: (
    calls: readonly { readonly to: Uint8Array; readonly data: Uint8Array }[],
    height: number | undefined,
    signal: AbortSignal,
  ) => Promise<readonly (Uint8Array | undefined)[]>
  /** The word at a place of a contract's storage, now. */
  readonly storage: (
    address: Uint8Array,
    slot: Uint8Array,
    signal: AbortSignal,
  ) => Promise<Uint8Array>
  /** Outcomes of each of these after the block at `height`, in their order. */
  readonly tried: (
    all: readonly Tried[],
    height: number | undefined,
    signal: AbortSignal,
  ) => Promise<readonly Outcome[]>
}

/** Calls that are handed on to a chain's node. */
export type ChainRpc = {
  /** Returns whether a method is handed on. */
  readonly allows: (method: string) => boolean
  /** Makes calls that are allowed; one answer each. Rejects with faults of the source. */
  readonly call: (
    calls: readonly { readonly method: string; readonly params: readonly unknown[] }[],
    signal: AbortSignal,
  ) => Promise<readonly RpcAnswer[]>
  /** Bytes of an answer to `eth_getLogs` from stored rows at most. */
  readonly logBytes: number
}

/** Answer of a node. */
export type RpcAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'error'
      readonly error: { readonly code: number; readonly message: string; readonly data?: string }
    }

/** A chain being served. */
export type ServedChain = {
  readonly facts: ChainFacts
  readonly store: Database
  readonly state: StateReader
  /** True when traces are served; with the setting `off`, stored traces are ignored. */
  readonly wantsTraces: boolean
  /** True for a chain of development: stored blocks may go, and others come in their place. */
  readonly beginsAnew?: boolean | undefined
  /**
   * The block at a height and its receipts, as a node or a recording gives them; what is not stored is
   * read there. Rejects with faults of the source.
   */
  readonly block?: (height: number, signal: AbortSignal) => Promise<RawUnit | undefined>
  /** The store of its logs, once there is one; absent where logs are not kept. */
  readonly logs?: (() => Promise<Database | undefined>) | undefined
  /** Traces of the transactions of the block at a height by the callTracer. Rejects as `block`. */
  readonly traces?: (height: number, signal: AbortSignal) => Promise<readonly unknown[]>
  /** Changes of the state by a transaction of a block, as a node tells them; absent where there is no node. */
  readonly stateChanges?:
    | ((
        of: { readonly txHash: string; readonly height: number },
        signal: AbortSignal,
      ) => Promise<unknown>)
    | undefined
  /** Calls of others to its node, where `publicRpc` allows any. */
  readonly rpc?: ChainRpc | undefined
  /** Newest height its node gave of late, where one is used. */
  readonly headHeight?: () => Promise<number | undefined>
  /**
   * True while new blocks can come, as far as this process knows; stored blocks are served anyway.
   */
  readonly isFollowed: () => boolean
}

/** Calls of a chain's node. Throws `not-found` where none, or not this one, are offered. */
export function offeredRpc({ facts, rpc }: ServedChain, method?: string): ChainRpc {
  if (rpc !== undefined && (method === undefined || rpc.allows(method))) return rpc
  const what = method === undefined ? 'calls are' : `${method} is`
  throw new Fault('not-found', `${what} not offered (publicRpc of the chain): ${facts.name}`)
}

/** A configured chain whose store is not there yet: no node has said yet what it is. */
export type WaitingChain = {
  readonly network: Network
  readonly name: string
  /** 32 bytes, where it is configured. */
  readonly blockchainId?: Uint8Array | undefined
}

/** Finds chains by what callers write. */
export type ChainDirectory = {
  readonly all: () => readonly ServedChain[]
  /**
   * Throws `not-ready` for what may be a chain that is configured and not reached yet, else
   * `not-found`.
   */
  readonly find: (name: string) => ServedChain
  /** Chains that are configured and not reached yet. */
  readonly waiting: () => readonly WaitingChain[]
  readonly byBlockchainId: (id: Uint8Array) => ServedChain | undefined
}

/** A directory over `chains` in their configured order. `alias` resolves an operator's names. */
export function createChainDirectory(
  chains: () => readonly ServedChain[],
  alias: (name: string) => string | undefined = () => undefined,
  waiting: () => readonly WaitingChain[] = () => [],
): ChainDirectory {
  const byBlockchainId = (id: Uint8Array): ServedChain | undefined => {
    const wanted = toHex(id)
    return chains().find(({ facts }) => facts.blockchainId && toHex(facts.blockchainId) === wanted)
  }
  const lookUp = (name: string): ServedChain | undefined => {
    if (/^\d{1,20}$/.test(name))
      return chains().find(({ facts }) => String(facts.evmChainId) === name)
    const id = idOf(name)
    return id === undefined ? undefined : byBlockchainId(id)
  }
  const find = (name: string): ServedChain => {
    const target = alias(name)
    const chain = lookUp(name) ?? (target === undefined ? undefined : lookUp(target))
    if (chain !== undefined) return chain
    const possible = waiting().filter((one) => mayBe(one, target ?? name))
    if (possible.length > 0) throw notReady(name, possible)
    const served = chains().map(({ facts }) => `${facts.evmChainId} (${facts.name})`)
    const more = served.length > mostNames ? ', …' : ''
    const here = served.length === 0 ? 'none' : served.slice(0, mostNames).join(', ') + more
    throw new Fault('not-found', `chain is not served here: ${name.slice(0, 80)} (here: ${here})`)
  }
  return { all: chains, find, waiting, byBlockchainId }
}

/** Most names of chains in a message. */
const mostNames = 5

/** True when `name` may belong to a chain whose node has not reported its ids yet. */
function mayBe({ network, blockchainId }: WaitingChain, name: string): boolean {
  const isNumber = /^\d{1,20}$/.test(name)
  const id = isNumber ? undefined : idOf(name)
  if (!isNumber && id === undefined) return false
  if (id !== undefined && blockchainId !== undefined) return toHex(id) === toHex(blockchainId)
  // The public C-Chains are of one network each.
  const other = publicNetworks[network === 'mainnet' ? 'fuji' : 'mainnet']
  return name !== String(other.evmChainId) && name !== other.cChainId
}

/** The fault for `name` while it may mean one of the `possible` chains. */
export function notReady(name: string, possible: readonly WaitingChain[]): Fault {
  const names = possible.slice(0, mostNames).map((chain) => chain.name)
  const more = possible.length > mostNames ? ', …' : ''
  const waits = `not reached yet: ${names.join(', ')}${more}`
  return new Fault('not-ready', `chain is not ready: ${name.slice(0, 80)} (${waits})`)
}

/** cb58 of a chain's blockchain id, or `undefined` when it has none. */
export function blockchainIdText(facts: ChainFacts): string | undefined {
  return facts.blockchainId === undefined ? undefined : toCb58(facts.blockchainId)
}

function idOf(name: string): Uint8Array | undefined {
  try {
    return parseId(name)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
