/** The first messages to a node: our identity, the subnets we track, and the peers we know. */

import { parseIp } from '../codec/warp/peer-address.ts'
import type { Handshake, KnownPeers } from '../codec/warp/peer-message.ts'
import { isZero } from '../core/bytes.ts'
import type { World } from '../core/world.ts'
import type { AddressBook } from './address-book.ts'
import type { Identity } from './identity.ts'

type GreeterOptions = {
  readonly world: Pick<World, 'clock' | 'random'>
  readonly networkId: number
  readonly identity: Identity
}

type OwnAddress = {
  readonly ip: Uint8Array
  readonly port: number
  readonly at: bigint
  readonly tls: Uint8Array
  readonly bls: Uint8Array
}

/** Between two filters: making one hashes everything heard. */
const filterMs = 2_000
const maxTracked = 16

/** Makes our handshakes. */
export class Greeter {
  readonly #options: GreeterOptions
  readonly #book: AddressBook
  #tracked: Uint8Array[] = []
  #signed: OwnAddress | undefined
  #known: { readonly at: number; readonly peers: KnownPeers } | undefined

  constructor(options: GreeterOptions, book: AddressBook) {
    this.#options = options
    this.#book = book
  }

  /**
   * Names a subnet in handshakes to come. A handshake takes 16; those named last matter.
   * Source: avalanchego network/peer/peer.go.
   */
  track(subnetId: Uint8Array): void {
    if (isZero(subnetId)) return
    const others = this.#tracked.filter((id) => Buffer.compare(id, subnetId) !== 0)
    this.#tracked = [subnetId, ...others].slice(0, maxTracked)
  }

  /**
   * Answers a peer's handshake with ours. We say the peer's version and upgrade time: nodes refuse
   * those of another release, and we read what any release says.
   */
  answer({ client, upgradeTime }: Handshake): Handshake {
    const own = this.prepare()
    return {
      networkId: this.#options.networkId,
      time: this.#nowSeconds(),
      ip: own.ip,
      port: own.port,
      upgradeTime,
      addressTime: own.at,
      tlsSignature: own.tls,
      blsSignature: own.bls,
      tracked: this.#tracked,
      client: { ...client, name: 'firn' },
      knownPeers: this.knownPeers(),
      allSubnets: true,
    }
  }

  /** Signs our address, once: it takes some milliseconds, and a peer that has greeted waits. */
  prepare(): OwnAddress {
    return (this.#signed ??= this.#signAddress())
  }

  /** Filter of everybody we heard of, for a handshake or for the next request. */
  knownPeers(): KnownPeers {
    const now = this.#options.world.clock.monotonic()
    if (this.#known === undefined || now - this.#known.at > filterMs) {
      this.#known = { at: now, peers: this.#book.knownPeers(this.#options.world.random) }
    }
    return this.#known.peers
  }

  /** Nodes do not connect back to light peers; they only want an address that is signed. */
  #signAddress(): OwnAddress {
    const ip = parseIp('0.0.0.0')
    const port = 1
    const at = this.#nowSeconds()
    return { ip, port, at, ...this.#options.identity.signAddress(ip, port, at) }
  }

  #nowSeconds(): bigint {
    return BigInt(Math.floor(this.#options.world.clock.now() / 1000))
  }
}
