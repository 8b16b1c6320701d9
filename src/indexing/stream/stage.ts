/**
 * Progress of a chain, and streams of work on it.
 *
 * `indexing` turns what sources give into rows. It decides nothing about answers (`api`), knows
 * no wire format (`codec`) and opens no connection (`source`); it owns order, back-pressure,
 * retries and checkpoints.
 */

/**
 * `syncing`: behind its head, or without a source for the moment. `live`: has all there is.
 * `stopped`: needs someone, `reason` says why. `off`: was not requested or cannot be had.
 */
export type StageState = 'syncing' | 'live' | 'stopped' | 'off'

/** Name of the streams that move history into segments. */
export const freezeStreamName = 'freeze'

/** One stage of one chain, as `/status` shows it. */
export type StageStatus = {
  readonly stage: string
  readonly state: StageState
  /** Last height committed; -1 before the first. */
  readonly indexedHeight: number
  /** Newest accepted height known; -1 before one is. */
  readonly headHeight: number
  /** Unix seconds when the source last gave its head; absent before it did. */
  readonly headAt?: number | undefined
  /** Over the last half minute. */
  readonly blocksPerSecond: number
  /** Until `headHeight` at this speed; absent when that cannot be said. */
  readonly etaSeconds?: number | undefined
  /** Why it is stopped or off, or what holds it up. */
  readonly reason?: string | undefined
  /** Whose votes say which height is the newest; absent where a node says it. */
  readonly votedBy?: string | undefined
  /** True while another process writes the store, so that this one has nothing to do. */
  readonly standsBy?: boolean | undefined
  /** Last height up to which every block is proven by hashes; absent where nothing is. */
  readonly provenHeight?: number | undefined
  /** Why blocks are taken that hashes do not prove; absent when none is. */
  readonly unverified?: string | undefined
  /** True when the store holds another chain than the source: nothing in it is served. */
  readonly isForeign?: boolean | undefined
}

/** Work that runs beside others until its signal is aborted. */
export type Stream = {
  /** Stable: the checkpoint's key, the log field, the label. */
  readonly name: string
  /** Ends when the signal is aborted; a thrown fault stops this stream alone. */
  readonly run: (signal: AbortSignal) => Promise<void>
  readonly status: () => StageStatus
}

/**
 * `status` as it is shown: what a chain had before its blocks lies in heights below 0, where nobody
 * knows how far it is to the first block.
 */
export function withoutDepth(status: StageStatus): StageStatus {
  if (status.indexedHeight >= -1) return status
  const { etaSeconds: _unknown, ...rest } = status
  return { ...rest, indexedHeight: -1 }
}

/** A stage nothing is known of yet. */
export function idleStatus(stage: string): StageStatus {
  return { stage, state: 'syncing', indexedHeight: -1, headHeight: -1, blocksPerSecond: 0 }
}
