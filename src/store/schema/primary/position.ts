/**
 * Numbers the primary network's tables share: places in history, and small sets of words.
 *
 * `pos` = ((chain × 2^31) + height) × 2^20 + position + 1: exact in a double, ordered by chain,
 * then by time. The X-Chain's transactions from before its blocks have heights from -2^32 - 1 on;
 * they fall under chain number 1, which no chain has.
 */

import { Fault } from '../../../core/fault.ts'
import { u8At } from '../../../core/item-at.ts'
import { placesPerBlock } from '../sums.ts'

/** Chain part of a `pos`, and the number lists of a chain stand under. */
export const chainNumbers = { P: 0, X: 2, C: 3 } as const

/** A chain of the primary network. */
export type PrimaryChain = keyof typeof chainNumbers

const beforeX = 1
const heightsPerChain = 2 ** 31

/** Height of the first thing the X-Chain had before its blocks, its genesis. */
const firstHeightBeforeX = -(2 ** 32) - 1

/** Id of a block: the part of `pos` above the position. Throws `store-failed` outside 2^31. */
export function blockIdOf(chain: number, height: number): number {
  if (chain === chainNumbers.X && height < 0) return blockIdOf(beforeX, height - firstHeightBeforeX)
  if (!(height >= 0 && height < heightsPerChain))
    throw new Fault('store-failed', `height is beyond what the store can order: ${height}`)
  return chain * heightsPerChain + height
}

/**
 * Place of a transaction, or of what no transaction of the block made (position -1). Throws
 * `store-failed` for a position of 2^20 - 1 or more.
 */
export function posOf(chain: number, height: number, position: number): number {
  if (!(position >= -1 && position < placesPerBlock - 1))
    throw new Fault('store-failed', `block holds more than the store can order: ${position}`)
  return blockIdOf(chain, height) * placesPerBlock + position + 1
}

/** Place after all transactions of a block: of what they led to, but none of them is. */
export function posAfter(chain: number, height: number): number {
  return blockIdOf(chain, height) * placesPerBlock + placesPerBlock - 1
}

/** The place of a transaction. */
type ChainPlace = {
  readonly chain: PrimaryChain
  readonly height: number
  readonly position: number
}

/** `pos` of a chain's place by name. Throws as {@link posOf}. */
export function posOfPlace(place: ChainPlace): number {
  return posOf(chainNumbers[place.chain], place.height, place.position)
}

/** Chain, height and position of a `pos`. */
export function placeOfPos(pos: number): ChainPlace {
  const id = Math.floor(pos / placesPerBlock)
  const chain = chainOfNumber(Math.floor(id / heightsPerChain))
  return { chain, height: heightOfBlock(id), position: (pos % placesPerBlock) - 1 }
}

/** Block of a `pos`. */
export function blockOfPos(pos: number): number {
  return Math.floor(pos / placesPerBlock)
}

/** Height of a block id; below 0 for what the X-Chain had before its blocks. */
export function heightOfBlock(id: number): number {
  const chain = Math.floor(id / heightsPerChain)
  return (id % heightsPerChain) + (chain === beforeX ? firstHeightBeforeX : 0)
}

/** First place of a block. */
export function firstPosOf(blockId: number): number {
  return blockId * placesPerBlock
}

/**
 * Places of a chain, `from` inclusive to `until` exclusive; X includes what was before its blocks.
 */
export function posRangeOf(chain: PrimaryChain): { readonly from: number; readonly until: number } {
  const first = chain === 'X' ? beforeX : chainNumbers[chain]
  const unit = heightsPerChain * placesPerBlock
  return { from: first * unit, until: (chainNumbers[chain] + 1) * unit }
}

/** First place of a chain's blocks: before it lies what the X-Chain had earlier. */
export function firstBlockPosOf(chain: PrimaryChain): number {
  return firstPosOf(blockIdOf(chainNumbers[chain], 0))
}

/** The chain of a chain number. */
export function chainOfNumber(chain: number): PrimaryChain {
  if (chain === chainNumbers.P) return 'P'
  return chain === chainNumbers.C ? 'C' : 'X'
}

/**
 * Bits of `kind`. Zero is the common case: one owner, one signature, an amount, no lock, no
 * stake, one chain; sums over such need only the index.
 */
export const utxoKinds = {
  locked: 1,
  stakeableLocked: 2,
  staked: 4,
  shared: 8,
  crossing: 16,
  withoutAmount: 32,
  wide: 64,
} as const

/** `reward` of a UTXO, by index. */
export const rewardKinds = ['', 'VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE'] as const

/** `status` of a staker, by index. */
export const stakerStatuses = ['pending', 'active', 'completed', 'removed'] as const

/** Ends of a cycle of an auto-renewed validator, by index. */
export const cycleOutcomes = ['renewed', 'exited', 'aborted'] as const
/** One of {@link cycleOutcomes}. */
export type CycleOutcome = (typeof cycleOutcomes)[number]

// Numbers stay below 2^36, so that one and a place in a batch are exact in a double together.
const utxosPerChain = 2 ** 34

/** Number of the first UTXO a chain makes. Numbers of a chain follow one another. */
export function firstUtxoOf(chain: PrimaryChain): number {
  return chainNumbers[chain] * utxosPerChain + 1
}

/** Number of the chain that made a UTXO. */
export function chainOfUtxo(number: number): number {
  return Math.floor(number / utxosPerChain)
}

/** The first 32 bits of an id. */
export function prefixOf(id: Uint8Array): number {
  return prefixAt(id, 0)
}

/** The first 32 bits of the id that begins at byte `at`. */
export function prefixAt(ids: Uint8Array, at: number): number {
  const high = (u8At(ids, at) << 24) | (u8At(ids, at + 1) << 16)
  return (high | (u8At(ids, at + 2) << 8) | u8At(ids, at + 3)) >>> 0
}
