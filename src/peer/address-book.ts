/**
 * Where nodes can be reached: what the operator, our node and other nodes say.
 *
 * Other nodes only pass on what the node in question signed itself. Peers are told whom we know and
 * do not repeat those, so that an address which comes before its node is wanted is remembered. There
 * is room for so many of these; a node that is wanted always has room.
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
  readonly toldBy: 'operator' | 'node' | 'peer'
}

/** Far more than the validators of the largest network, at some 300 bytes each. */
const maxAddresses = 16_384
/** A claim may be this far ahead of our clock. Source: network/peer/peer.go. */
const maxAheadSeconds = 60n

/** The addresses a pool knows. */
export class AddressBook {
  readonly #entries = new Map<string, Entry>()
  readonly #allowPrivate: boolean
  readonly #most: number

  constructor(allowPrivate: boolean, most = maxAddresses) {
    this.#allowPrivate = allowPrivate
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  get(nodeId: string): NodeAddress | undefined {
    return this.#entries.get(nodeId)
  }

  /** Every address that no peer told, in the order learned: a stranger's list leads nowhere. */
  trusted(): readonly NodeAddress[] {
    return [...this.#entries.values()].filter(({ toldBy }) => toldBy !== 'peer')
  }

  /** Takes the operator's word: private addresses allowed, never replaced. */
  configure(address: NodeAddress): void {
    this.#entries.set(address.nodeId, { ...address, timestamp: 0n, toldBy: 'operator' })
  }

  /** Takes an address that our node gave at `nowSeconds`. `true` when it is new. */
  listed(address: NodeAddress, nowSeconds: bigint): boolean {
    return this.#put({ ...address, timestamp: nowSeconds, toldBy: 'node' })
  }

  /**
   * Takes what a peer passed on, if the node signed it, and if it is `wanted` or there is room.
   * `true` when it is new.
   */
  heard(claim: ClaimedAddress, nowSeconds: bigint, wanted: (nodeId: string) => boolean): boolean {
    const { certificate, ip, port, timestamp, signature } = claim
    const nodeId = nodeIdOf(certificate)
    const known = this.#entries.get(nodeId)
    if (timestamp > nowSeconds + maxAheadSeconds || port === 0 || known?.toldBy === 'operator')
      return false
    if (known === undefined && this.#entries.size >= this.#most && !wanted(nodeId)) return false
    if (known !== undefined && known.timestamp >= timestamp) return false
    const key = acceptedKey(certificate)
    if (key === undefined) return false
    if (!verifyCertified(key, signedAddressBytes(ip, port, timestamp), signature)) return false
    return this.#put({ nodeId, ip, port, timestamp, toldBy: 'peer' })
  }

  /** A fresh filter of every address here, for the next request. Cost: a hash each. */
  knownPeers(random: Random): KnownPeers {
    const bloom = createBloom(random, 2 * this.#entries.size)
    for (const { nodeId, timestamp } of this.#entries.values())
      addToBloom(bloom, gossipId(parseNodeId(nodeId), timestamp))
    return { filter: bloomBytes(bloom), salt: bloom.salt }
  }

  #put(entry: Entry): boolean {
    if (isPrivateIp(entry.ip) && !this.#allowPrivate) return false
    const known = this.#entries.get(entry.nodeId)
    if (known !== undefined && (known.toldBy === 'operator' || known.timestamp > entry.timestamp))
      return false
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
