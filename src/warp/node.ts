/**
 * Calls to our node by JSON-RPC: validators, subnets, peers.
 *
 * An error a node answers becomes a fault (`source/rpc/node-words.ts`).
 *
 * Source: avalanchego api/info/service.go, vms/platformvm/service.go, vms/proposervm/service.go.
 */

import { isUnspecifiedIp } from '../codec/warp/peer-address.ts'
import { isZero } from '../core/bytes.ts'
import { toCb58 } from '../core/cb58.ts'
import { faultOf } from '../core/fault.ts'
import type { Transport } from '../core/world.ts'
import { type NodeAddress, parseNodeAddress } from '../peer/address-book.ts'
import { callOne } from '../source/rpc/json-rpc.ts'
import {
  bytesIn,
  fieldIn,
  idIn,
  integerIn,
  listIn,
  nodeIdIn,
  replyOf,
  textIn,
  u64In,
} from '../source/rpc/node-text.ts'
import { faultOfWords } from '../source/rpc/node-words.ts'
import type { ValidatorEntry } from './validator-set.ts'

/** A subnet as far as signing is concerned. */
export type SubnetFacts = {
  /** True when it was converted: its validators pay for themselves. */
  readonly isL1: boolean
  readonly conversionId: Uint8Array | undefined
  readonly managerChainId: Uint8Array | undefined
}

/** A node's APIs at one base URL, e.g. `http://127.0.0.1:9650`. */
export type Node = {
  readonly peers: (signal: AbortSignal) => Promise<readonly NodeAddress[]>
  readonly height: (signal: AbortSignal) => Promise<number>
  readonly proposedHeight: (signal: AbortSignal) => Promise<number>
  /**
   * P-Chain height with which the next block of a chain verifies messages (ACP-181); `undefined`
   * before there were epochs. Only nodes that run the chain answer.
   */
  readonly epochHeight: (chainId: Uint8Array, signal: AbortSignal) => Promise<number | undefined>
  /** Throws `bad-parameter` when the height is not accepted yet. */
  readonly validatorsAt: (
    subnetId: Uint8Array,
    height: number,
    signal: AbortSignal,
  ) => Promise<readonly ValidatorEntry[]>
  /** Node ids of an L1's validators and what is left to pay their fees, nAVAX. */
  readonly l1Balances: (
    subnetId: Uint8Array,
    signal: AbortSignal,
  ) => Promise<readonly { readonly nodeId: string; readonly balance: bigint }[]>
  /** Throws `not-found`. */
  readonly subnet: (subnetId: Uint8Array, signal: AbortSignal) => Promise<SubnetFacts>
  /** Subnet that validates a chain. Throws `not-found`. */
  readonly validatedBy: (chainId: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>
  /** A method of an API path, for what only one caller needs. Throws as the others. */
  readonly call: (
    path: string,
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<unknown>
}

/** 1,000 peers take half a megabyte; the largest validator set about 200 KB. */
const maxReplyBytes = 32 * 1024 * 1024
const timeoutMs = 10_000

/** The node at `baseUrl`. */
export function createNode(transport: Transport, baseUrl: string): Node {
  const base = baseUrl.replace(/\/+$/, '')
  const call: Node['call'] = async (path, method, params, signal) => {
    const target = { transport, url: `${base}${path}`, timeoutMs, maxReplyBytes }
    const answer = await callOne(target, { method, params: [params] }, signal)
    if (answer.kind === 'result') return answer.result
    throw faultOfWords(method, answer.error.message, 'question')
  }
  const info = (method: string, signal: AbortSignal): Promise<unknown> =>
    call('/ext/info', `info.${method}`, {}, signal)
  const platform = (
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> => call('/ext/bc/P', `platform.${method}`, params, signal)
  return {
    call,
    peers: async (signal) => {
      const [known, own, ownIp] = await Promise.all([
        info('peers', signal),
        info('getNodeID', signal),
        info('getNodeIP', signal),
      ])
      // A node is not its own peer, and it signs as well as the others.
      return [...reachableAt(textIn(own, 'nodeID'), textIn(ownIp, 'ip')), ...reachablePeers(known)]
    },
    height: async (signal) => integerIn(await platform('getHeight', {}, signal), 'height'),
    proposedHeight: async (signal) =>
      integerIn(await platform('getProposedHeight', {}, signal), 'height'),
    epochHeight: async (chainId, signal) => {
      const path = `/ext/bc/${toCb58(chainId)}/proposervm`
      const epoch = await call(path, 'proposervm.getCurrentEpoch', {}, signal)
      return integerIn(epoch, 'number') === 0 ? undefined : integerIn(epoch, 'pChainHeight')
    },
    validatorsAt: async (subnetId, height, signal) => {
      const params = { height: String(height), subnetID: toCb58(subnetId) }
      return parseValidators(await platform('getValidatorsAt', params, signal))
    },
    l1Balances: async (subnetId, signal) => {
      const params = { subnetID: toCb58(subnetId) }
      return balancesIn(await platform('getCurrentValidators', params, signal))
    },
    subnet: async (subnetId, signal) => {
      const facts = await platform('getSubnet', { subnetID: toCb58(subnetId) }, signal)
      const conversionId = presentId(facts, 'conversionID')
      const managerChainId = presentId(facts, 'managerChainID')
      return { isL1: conversionId !== undefined, conversionId, managerChainId }
    },
    validatedBy: async (chainId, signal) => {
      const answer = await platform('validatedBy', { blockchainID: toCb58(chainId) }, signal)
      return idIn(answer, 'subnetID')
    },
  }
}

function reachablePeers(answer: unknown): NodeAddress[] {
  return listIn(answer, 'peers').flatMap((peer) =>
    reachableAt(textIn(peer, 'nodeID'), textIn(peer, 'publicIP')),
  )
}

function balancesIn(answer: unknown): { nodeId: string; balance: bigint }[] {
  return listIn(answer, 'validators')
    .filter((validator) => fieldIn(validator, 'validationID') !== undefined)
    .map((validator) => ({
      nodeId: textIn(validator, 'nodeID'),
      balance: u64In(validator, 'balance'),
    }))
}

/**
 * The address, if it is one: light peers as we are name 0.0.0.0, and one odd entry harms no other.
 */
function reachableAt(nodeId: string, written: string): NodeAddress[] {
  try {
    const address = parseNodeAddress(nodeId, written)
    return isUnspecifiedIp(address.ip) ? [] : [address]
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return []
  }
}

function presentId(facts: unknown, name: string): Uint8Array | undefined {
  const value = fieldIn(facts, name)
  if (value === undefined || value === '') return undefined
  const id = idIn(facts, name)
  // An unconverted subnet shows the empty id.
  return isZero(id) ? undefined : id
}

/**
 * Validators by node id. The answer is the map itself, or has it in `validators`; older nodes
 * give only weights.
 */
export function parseValidators(answer: unknown): readonly ValidatorEntry[] {
  const map = replyOf(fieldIn(answer, 'validators') ?? answer, 'validators')
  return Object.entries(map).map(([nodeId, validator]) => {
    nodeIdIn({ nodeId }, 'nodeId')
    const isKeyed = typeof fieldIn(validator, 'publicKey') === 'string'
    return {
      nodeId,
      publicKey: isKeyed ? bytesIn(validator, 'publicKey') : undefined,
      weight: u64In(validator, 'weight'),
    }
  })
}
