/**
 * Where the blocks of a primary network come from: a node, a recording of one, or the network's peers.
 *
 * Bytes come in, never a node's JSON form of blocks. Outer blocks are taken off here.
 */

/** The three chains. */
export type PrimaryChain = 'P' | 'X' | 'C'

/** Identity of a network. Ids are 32 bytes. */
export type PrimaryIdentity = {
  readonly networkId: number
  /** As `info.getNodeVersion` says. */
  readonly nodeVersion: string
  /** Parent of P-Chain block 0: hash of the genesis bytes. */
  readonly genesisId: Uint8Array
  readonly chainIds: { readonly X: Uint8Array; readonly C: Uint8Array }
  /** Unix seconds of upgrades by upstream's name, as the node has them. */
  readonly upgrades: Readonly<Record<string, number>>
}

/** The proposer of a block, from its outer (proposervm) block, known from a complete Index API and from peers. */
export type Proposer = {
  readonly outerId: Uint8Array
  readonly outerParentId: Uint8Array
  /** Absent for options and unsigned blocks; the other two for options alone. */
  readonly nodeId: Uint8Array | undefined
  readonly pChainHeight: number | undefined
  readonly timestamp: number | undefined
}

/** A P- or X-Chain block: the inner one's bytes. `proposer` is known from a complete Index API and from peers. */
export type BlockBytes = {
  readonly height: number
  readonly bytes: Uint8Array
  readonly proposer: Proposer | undefined
}

/** A C-Chain block without its EVM transactions. `time` is Unix seconds. */
export type CBlock = {
  readonly height: number
  readonly blockId: Uint8Array
  readonly parentId: Uint8Array
  readonly time: number
  readonly sizeBytes: number
  /** EVM transactions. */
  readonly transactionCount: number
  readonly extraData: Uint8Array
  readonly proposer: Proposer | undefined
}

/** A node's view of a validator of the primary network. */
export type ValidatorHealth = {
  /** The staking transaction, 32 bytes. */
  readonly txId: Uint8Array
  /** Percent; absent when the node does not say. */
  readonly uptimePercent: number | undefined
  readonly connected: boolean | undefined
}

/** One network's source. Faults are those of `core/fault.ts`. */
export interface PrimarySource {
  readonly identity: (signal: AbortSignal) => Promise<PrimaryIdentity>
  /**
   * Last accepted height of a chain whose block can be had. Throws `node-not-yet` while the node
   * is bootstrapping that chain.
   */
  readonly headHeight: (chain: PrimaryChain, signal: AbortSignal) => Promise<number>
  /** Returns whether proposers are known: a complete Index API of the chain. */
  readonly hasIndex: (chain: PrimaryChain, signal: AbortSignal) => Promise<boolean>
  /** Blocks `[from, until)` of the P- or X-Chain, in order. */
  readonly blocks: (
    chain: 'P' | 'X',
    range: { readonly from: number; readonly until: number },
    signal: AbortSignal,
  ) => Promise<BlockBytes[]>
  /** Blocks `[from, until)` of the C-Chain, in order. */
  readonly cBlocks: (
    range: { readonly from: number; readonly until: number },
    signal: AbortSignal,
  ) => Promise<CBlock[]>
  /** Number of X-Chain transactions before its first block; 0 when the node does not know. */
  readonly earlyCount: (signal: AbortSignal) => Promise<number>
  /** The transactions `[from, until)`, each after those whose outputs it spends. */
  readonly earlyTransactions: (
    range: { readonly from: number; readonly until: number },
    signal: AbortSignal,
  ) => Promise<Uint8Array[]>
  /** Current validators of the primary network as the node sees them; none in a recording. */
  readonly health: (signal: AbortSignal) => Promise<readonly ValidatorHealth[]>
  /** Words for that which holds a chain up, or will; absent where a source has nothing to say of that. */
  readonly note?: (chain: PrimaryChain) => string | undefined
  /** Whose votes say which block is the newest, in words; absent where a node says it. */
  readonly votedBy?: () => string
}
