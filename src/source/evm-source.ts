/**
 * Where the blocks and the state of one EVM chain come from: nodes, or a recording of one.
 *
 * Both speak this interface; the indexer and the readers of balances know no difference.
 */

import type { RawUnit } from '../codec/evm/raw.ts'
import type { RpcAnswer, RpcCall } from './rpc/json-rpc.ts'

/** Heights `[from, until)`. */
export type HeightRange = { readonly from: number; readonly until: number }

/**
 * A range to read, from other endpoints than those that were used before, where there are others.
 */
export type ReadRange = HeightRange & { readonly otherThan?: readonly string[] | undefined }

/** Identity of a chain, pinned when it is first read. */
export type ChainIdentity = {
  /** EVM chain id. */
  readonly chainId: number
  /** Hash of block 0, `0x` hex. */
  readonly genesisHash: string
  /** The chain's id on the P-Chain, `0x` hex; absent on chains without the warp precompile. */
  readonly blockchainId?: string
  /** `web3_clientVersion`, or what the recording says. */
  readonly nodeVersion: string
}

/** A transaction to try; numbers and bytes are `0x` lower-case hex. */
export type TriedCall = {
  /** Absent: a contract is created. */
  readonly to?: string | undefined
  readonly data: string
  readonly from?: string | undefined
  readonly value?: string | undefined
  readonly gas?: string | undefined
}

/** A read of state, parameters before the height. */
export type StateCall = {
  readonly method: 'eth_call' | 'eth_getBalance' | 'eth_getCode' | 'eth_getStorageAt'
  /** A call for `eth_call`, else the address; `0x` lower-case hex. */
  readonly target: TriedCall | string
  /** Place in storage, of `eth_getStorageAt` alone: 32 bytes. */
  readonly slot?: string
}

/**
 * Answer to a {@link StateCall}. `value` is `0x` hex of its form: a quantity of at most 32 bytes
 * for a balance, else whole bytes. `reverted` is a failure of the contract's own code, with what it is
 * called and the bytes it gave, where the node gives them; `not-served` says that no source has this
 * state, and why.
 */
export type StateAnswer =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'reverted'; readonly reason?: string; readonly data?: string }
  | { readonly kind: 'not-served'; readonly reason: string }

/** Condition of one endpoint, for operators. */
export type EndpointStatus = {
  /** Scheme and host only; paths and credentials may hold keys. */
  readonly name: string
  readonly state: 'up' | 'waiting' | 'quarantined'
  readonly height: number
  readonly latencyMs: number
  readonly inFlight: number
  readonly window: number
  readonly problem?: string | undefined
}

/** One chain's source. Faults are those of `core/fault.ts`; `not-served` for missing state. */
export interface EvmSource {
  /** Identity of the chain. Endpoints that report another one are quarantined. */
  readonly identity: (signal: AbortSignal) => Promise<ChainIdentity>
  /** Height of the newest accepted block that has been executed. */
  readonly headHeight: (signal: AbortSignal) => Promise<number>
  /** Number of blocks a read should request now; adapts to what endpoints bear. */
  readonly unitBlocks: () => number
  /** Number of reads that may run side by side now. */
  readonly window: (need: 'blocks' | 'traces') => number
  /**
   * Reads blocks with receipts from `range.from` on and gives what `decode` makes of them: all
   * of the range, or fewer when the rest is not there yet, never none. All come from one
   * endpoint, named by `origin`; when `decode` throws, it is blamed and another one is used.
   */
  readonly blocks: <T>(
    range: ReadRange,
    decode: (units: readonly RawUnit[], origin: string) => T,
    signal: AbortSignal,
  ) => Promise<T>
  /** Returns whether call traces can be had. May change when endpoints come and go. */
  readonly hasTraces: (signal: AbortSignal) => Promise<boolean>
  /** As `blocks` for traces: one element per block as `debug_traceBlockByNumber` answers. */
  readonly traces: <T>(
    range: ReadRange,
    decode: (blocks: readonly unknown[], origin: string) => T,
    signal: AbortSignal,
  ) => Promise<T>
  /**
   * From which height on traces can be had, where those of `from` cannot: every endpoint was tried.
   * `from` when it can be had after all, `undefined` when nothing can.
   */
  readonly tracesSince: (
    range: { readonly from: number; readonly head: number },
    signal: AbortSignal,
  ) => Promise<number | undefined>
  /**
   * Changes of the state by a transaction of the block at `height`, as a node's prestateTracer tells them. Rejects with
   * `not-served` where no node has that tracer. Absent where there is no node.
   */
  readonly stateChanges?: (
    of: { readonly txHash: string; readonly height: number },
    signal: AbortSignal,
  ) => Promise<unknown>
  /** Reads state after block `height`, or after the newest one. One answer per call, in order. */
  readonly state: (
    calls: readonly StateCall[],
    height: number | 'latest',
    signal: AbortSignal,
  ) => Promise<StateAnswer[]>
  /**
   * As `state` of at most two endpoints, a list for each: for answers that no hash covers. One list
   * where no second endpoint answers.
   */
  readonly stateTwice: (
    calls: readonly StateCall[],
    height: number | 'latest',
    signal: AbortSignal,
  ) => Promise<readonly (readonly StateAnswer[])[]>
  /** Hands calls on as they are and gives the answers, in order. Absent where there is no node. */
  readonly pass?: (calls: readonly RpcCall[], signal: AbortSignal) => Promise<readonly RpcAnswer[]>
  /** Sets the endpoint `origin` aside: its answers contradict what is stored. */
  readonly distrust: (origin: string, reason: string) => void
  /** Uses all endpoints again: they may be mended. Absent where the same is said each time. */
  readonly pardon?: () => void
  /** Prefers others to the endpoint `origin` for a while: its answers may be untrue. */
  readonly doubt: (origin: string, reason: string) => void
  readonly endpoints: () => readonly EndpointStatus[]
}
