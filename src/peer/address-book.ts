/**
 * Where nodes can be reached: what the operator, our node and other nodes say.
 *
 * Other nodes only pass on what the node in question signed itself, and only nodes somebody here
 * wants are remembered, so a peer cannot fill the book.
 */

import {
  type ClaimedAddress,
  gossipId,
  isPrivateIp,
  parseIp,
  signedAddressBytes,
} from '../codec/warp/peer-address.ts'
import type { KnownPeers } from '../codec/warp/peer-message.ts'
import { parseNodeId } from '../core/cb58.ts'
import { Fault } from '../core/fault.ts'
import type { Random } from '../core/world.ts'
import { addToBloom, bloomBytes, createBloom } from './bloom.ts'
import { acceptedKey, nodeIdOf, verifyCertified } from './certificate.ts'

/** An address of a node. */
export type NodeAddress = {
  readonly nodeId: string
  readonly ip: Uint8Array
  readonly port: number
}

type Entry = NodeAddress & {
  /** Unix seconds; the newest wins, and the operator's word is never replaced. */
  readonly timestamp: bigint
  readonly configured: boolean
}

/** Claims remembered for the filter alone, so that peers stop repeating them. */
const maxHeard = 16_384
/** A claim may be this far ahead of our clock. Source: network/peer/peer.go. */
const maxAheadSeconds = 60n

/** The addresses a pool knows. */
export class AddressBook {
  readonly #entries = new Map<string, Entry>()
  readonly #heard = new Map<string, bigint>()
  readonly #allowPrivate: boolean

  constructor(allowPrivate: boolean) {
    this.#allowPrivate = allowPrivate
  }

  get(nodeId: string): NodeAddress | undefined {
    return this.#entries.get(nodeId)
  }

  /** Every address, in the order learned. */
  all(): Iterable<NodeAddress> {
    return this.#entries.values()
  }

  /** Takes the operator's word: private addresses allowed, never replaced. */
  configure(address: NodeAddress): void {
    this.#entries.set(address.nodeId, { ...address, timestamp: 0n, configured: true })
  }

  /** Takes an address that our node gave at `nowSeconds`. `true` when it is new. */
  listed(address: NodeAddress, nowSeconds: bigint): boolean {
    return this.#put({ ...address, timestamp: nowSeconds, configured: false })
  }

  /** Takes what a peer passed on, if `wanted` and if the node signed it. `true` when it is new. */
  heard(claim: ClaimedAddress, nowSeconds: bigint, wanted: (nodeId: string) => boolean): boolean {
    const { certificate, ip, port, timestamp, signature } = claim
    const nodeId = nodeIdOf(certificate)
    if (timestamp > nowSeconds + maxAheadSeconds || port === 0) return false
    if (this.#heard.size < maxHeard || this.#heard.has(nodeId)) this.#heard.set(nodeId, timestamp)
    const known = this.#entries.get(nodeId)
    if (!wanted(nodeId) || (known !== undefined && known.timestamp >= timestamp)) return false
    const key = acceptedKey(certificate)
    if (key === undefined) return false
    if (!verifyCertified(key, signedAddressBytes(ip, port, timestamp), signature)) return false
    return this.#put({ nodeId, ip, port, timestamp, configured: false })
  }

  /** A fresh filter of everything heard, for the next request. Cost: a hash each. */
  knownPeers(random: Random): KnownPeers {
    const bloom = createBloom(random, 2 * this.#heard.size)
    for (const [nodeId, timestamp] of this.#heard) {
      addToBloom(bloom, gossipId(parseNodeId(nodeId), timestamp))
    }
    return { filter: bloomBytes(bloom), salt: bloom.salt }
  }

  #put(entry: Entry): boolean {
    if (isPrivateIp(entry.ip) && !this.#allowPrivate) return false
    const known = this.#entries.get(entry.nodeId)
    if (known !== undefined && (known.configured || known.timestamp > entry.timestamp)) return false
    this.#entries.set(entry.nodeId, entry)
    return known === undefined || known.port !== entry.port || known.ip.join() !== entry.ip.join()
  }
}

/** An address from `ip:port`, IPv6 in brackets. Throws `bad-text`. */
export function parseNodeAddress(nodeId: string, text: string): NodeAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port < 1 || port > 65_535) {
    throw new Fault('bad-text', `not an address of the form ip:port: ${text}`)
  }
  return { nodeId, ip: parseIp(match[1] ?? match[2] ?? ''), port }
}

/** An address from `NodeID-…@ip:port`, as operators write it. Throws `bad-text`. */
export function parsePeer(text: string): NodeAddress {
  const [nodeId = '', address = ''] = text.split('@')
  parseNodeId(nodeId)
  return parseNodeAddress(nodeId, address)
}
