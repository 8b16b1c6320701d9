/**
 * Numbers the primary network's tables share: places in history, and small sets of words.
 *
 * `pos` = ((chain × 2^31) + height) × 2^20 + position: exact in a double, ordered by chain, then
 * by time. The X-Chain's transactions before its blocks have a chain number of their own, just
 * below that of its blocks, and their place in the Index API as height.
 */

import { Fault } from '../../core/fault.ts'

/** Chain part of a `pos`. */
export const chainNumbers = { P: 0, xDag: 1, X: 2, C: 3 } as const

/** The three chains by the places their lists stand under. */
export const placeNumbers = { P: 0, X: 2, C: 3 } as const

/** A chain of the primary network. */
export type PrimaryChain = keyof typeof placeNumbers

const heightsPerChain = 2 ** 31
const positionsPerBlock = 2 ** 20

/** Id of a block: the part of `pos` above the position. Throws `store-failed` beyond 2^31. */
export function blockIdOf(chain: number, height: number): number {
  if (!(height >= 0 && height < heightsPerChain))
    throw new Fault('store-failed', `height is beyond what the store can order: ${height}`)
  return chain * heightsPerChain + height
}

/** Place of a transaction. Throws `store-failed` for a position of 2^20 or more. */
export function posOf(chain: number, height: number, position: number): number {
  if (!(position >= 0 && position < positionsPerBlock))
    throw new Fault('store-failed', `block holds more than the store can order: ${position}`)
  return blockIdOf(chain, height) * positionsPerBlock + position
}

/** Chain, height and position of a `pos`. */
export function placeOfPos(pos: number): {
  readonly chain: number
  readonly height: number
  readonly position: number
} {
  const id = Math.floor(pos / positionsPerBlock)
  return {
    chain: Math.floor(id / heightsPerChain),
    height: id % heightsPerChain,
    position: pos % positionsPerBlock,
  }
}

/** Block of a `pos`. */
export function blockOfPos(pos: number): number {
  return Math.floor(pos / positionsPerBlock)
}

/** Height of a block id. */
export function heightOfBlock(id: number): number {
  return id % heightsPerChain
}

/** First place of a block. */
export function firstPosOf(blockId: number): number {
  return blockId * positionsPerBlock
}

/** Places of a chain, `from` inclusive to `until` exclusive; X includes what was before its blocks. */
export function posRangeOf(chain: PrimaryChain): { readonly from: number; readonly until: number } {
  const first = chain === 'X' ? chainNumbers.xDag : chainNumbers[chain]
  const unit = heightsPerChain * positionsPerBlock
  return { from: first * unit, until: (chainNumbers[chain] + 1) * unit }
}

/** The chain whose lists hold this place. */
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

/** Largest number an `amount` column holds. */
export const maxAmount = 2n ** 63n - 1n
