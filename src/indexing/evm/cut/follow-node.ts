/**
 * Fits the store of a chain of development to its node, which may have been restarted with another
 * genesis, or reverted to a lower block.
 */

import { to0x } from '../../../core/bytes.ts'
import { isObject } from '../../../core/json.ts'
import type { EvmSource } from '../../../source/evm-source.ts'
import { faultOfAnswer, heightText } from '../../../source/evm/node-call.ts'
import { blockStage, getCheckpoint } from '../../../store/checkpoint.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { firstHeight } from '../../../store/query/evm/heights.ts'

/** A store and the node of its chain. */
type Followed = {
  readonly database: Reader
  readonly source: EvmSource
  readonly signal: AbortSignal
}

/** Returns whether the node has the block where the rows end. Faults are those of the source. */
export async function hasStoredEnd(of: Followed): Promise<boolean> {
  const end = await getCheckpoint(of.database, blockStage)
  return end?.hash === undefined || hasBlock(of, end.height, end.hash)
}

/**
 * The height from which on the node does not have what is stored; `undefined` where it has all of it. Where it has a block it has all before it, so that
 * of 2^n blocks n are compared. Faults are those of the source.
 */
export async function firstForeignHeight(of: Followed): Promise<number | undefined> {
  const end = (await getCheckpoint(of.database, blockStage))?.height ?? -1
  let from = (await firstHeight(of.database)) ?? 0
  let until = end + 1
  while (from < until) {
    const middle = Math.floor((from + until) / 2)
    const hash = await blockHashAt(of.database, middle)
    if (hash !== undefined && (await hasBlock(of, middle, hash))) from = middle + 1
    else until = middle
  }
  return from > end ? undefined : from
}

async function hasBlock(
  { source, signal }: Followed,
  height: number,
  hash: Uint8Array,
): Promise<boolean> {
  const call = { method: 'eth_getBlockByNumber', params: [heightText(height), false] }
  const [answer] = (await source.pass?.([call], signal)) ?? []
  if (answer?.kind !== 'result') throw faultOfAnswer(answer, call)
  return isObject(answer.result) && answer.result['hash'] === to0x(hash)
}
