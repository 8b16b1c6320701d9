/**
 * Streams that run beside the EVM chains, as plain data: primary networks in the decoder's thread,
 * messages in the writer's.
 */

import type { Network } from '../../core/network.ts'
import type { RecordedTime } from '../../core/recorded-time.ts'

/** The primary network of one network: P, X and C atomic. */
export type PrimaryStreamSpec = {
  readonly kind: 'primary'
  readonly key: string
  readonly network: Network
  readonly name: string
  /** Base URL of an AvalancheGo node, or the file of a recording. Empty without a node. */
  readonly nodeUrl: string
  readonly recording?: string
  /** Holds back blocks of a recording. */
  readonly recordedTime?: RecordedTime | undefined
  /** Where blocks come from peers. */
  readonly peers?: PeersSpec | undefined
  /** False where atomic transactions of the C-Chain are not indexed. */
  readonly cAtomic: boolean
  /** `auto`, or a genesis file. */
  readonly genesis: string
}

/** Reading blocks from the network's peers. */
export type PeersSpec = {
  readonly networkId: number
  /** `NodeID-…@ip:port`; empty: the bootstrap nodes of a public network. */
  readonly addresses: readonly string[]
  /** The nodes' file of upgrade times; empty: the times of the network's id. */
  readonly upgradeFile: string
  /** Folder for blocks that wait for their ancestors. */
  readonly folder: string
}

/** A chain whose messenger logs are followed. */
export type MessengerChain = {
  readonly key: string
  readonly network: Network
  /** `0x` hex; absent: what the chain's store says. */
  readonly blockchainId?: string | undefined
  /** Messengers believed, `0x` hex. */
  readonly contracts: readonly string[]
}

/** Interchain messages over all indexed EVM chains. */
export type IcmStreamSpec = {
  readonly kind: 'icm'
  /** Also the name of the store of messages. */
  readonly key: string
  readonly network: Network
  readonly name: string
  readonly chains: readonly MessengerChain[]
}

/** One stream. */
export type StreamSpec = PrimaryStreamSpec | IcmStreamSpec
