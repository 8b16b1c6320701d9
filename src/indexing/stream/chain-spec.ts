/** Instructions to the threads of the indexer about a chain and about themselves: plain data. */

import type { Network } from '../../core/network.ts'
import type { RecordedTime } from '../../core/recorded-time.ts'
import type { StoredProofs } from '../../store/query/evm/heights.ts'

/** One EVM chain to index. */
export type ChainSpec = {
  /** Name of its store and label of its gauges: `fuji-43113`. */
  readonly key: string
  readonly network: Network
  readonly name: string
  readonly symbol: string
  /** Chain id that all endpoints must have; when absent, that of the first endpoint. */
  readonly chainId?: number
  /** `0x` hex. */
  readonly blockchainId?: string | undefined
  /** Endpoints, or the file of a recording. */
  readonly rpcUrls: readonly string[]
  readonly recording?: string | undefined
  /** Holds back blocks of a recording. */
  readonly recordedTime?: RecordedTime | undefined
  readonly traces: 'auto' | 'on' | 'off'
  readonly startHeight: number
  /** True for a chain of development: its node may lose blocks, and begin with another genesis. */
  readonly beginsAnew?: boolean | undefined
  /**
   * Blocks of each hundred of a copied history that are compared with the node, 0 to 100; absent where no
   * store is written that could be copied.
   */
  readonly checkCopied?: number
  /** True when its logs are kept, in a store of their own. */
  readonly keepsLogs?: boolean | undefined
  /** `0x` hex, lower case. */
  readonly wrappedTokens: readonly string[]
  /** Teleporter messengers besides the known one, `0x` hex. */
  readonly icmContracts: readonly string[]
  /** Where NFT metadata is fetched; absent: it is not. */
  readonly nftMetadata?: NftFetching
}

/** Gateways of NFT metadata, from the setting `nftMetadata`. */
export type NftFetching = {
  /** `https://host/ipfs/` each. */
  readonly gateways: readonly string[]
  /** `https://host/`. */
  readonly arweave: string
}

/** Limits of reading, from the settings `source.*`. */
export type SourceLimits = {
  readonly timeoutMs: number
  readonly traceTimeoutMs: number
  readonly maxInFlight: number
  readonly maxReplyBytes: number
  /** Fetched ahead of the writer, bytes, over all chains. */
  readonly bufferBytes: number
  /** Far behind the head one EVM block in so many is checked; 1: every one. */
  readonly checkEvery: number
  /** True where callers wait for what is requested. */
  readonly isUrgent?: boolean
}

/** Where a chain's writing begins again. */
export type ResumePoint = {
  /** Next height of each stage. */
  readonly blocksFrom: number
  readonly tracesFrom: number
  /** Hash of block `blocksFrom - 1`, `0x` hex; absent in an empty store. */
  readonly parentHash?: string | undefined
  /** Blocks before that hashes do not prove; absent in an empty store. */
  readonly proofs?: StoredProofs | undefined
}

/** Facts known when blocks are stored. */
export type BlockReport = {
  /** Newest height of the chain. */
  readonly headHeight: number
  /** Blocks stored by then that hashes do not prove. */
  readonly proofs: StoredProofs
}
