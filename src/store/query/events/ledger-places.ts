/** Places of a webhook's ledger by height. */

import { checkpointHeights } from '../../checkpoint.ts'
import type { Reader } from '../../engine/database.ts'
import { blockIdOf, chainNumbers, firstPosOf, placeOfPos } from '../../schema/primary/position.ts'
import { heightOf, posOfHeight } from '../evm/position.ts'
import type { WebhookLedger } from './watch.ts'

/** First place of a block. */
export function placeOfHeight(ledger: WebhookLedger, height: number): number {
  return ledger === 'P' || ledger === 'X'
    ? firstPosOf(blockIdOf(chainNumbers[ledger], height))
    : posOfHeight(height)
}

/** Height of the block of a place. */
export function heightOfPlace(ledger: WebhookLedger, pos: number): number {
  return ledger === 'P' || ledger === 'X' ? placeOfPos(pos).height : heightOf(pos)
}

/** First place that is not stored yet. */
export async function storedUntil(reader: Reader, ledger: WebhookLedger): Promise<number> {
  const height = (await checkpointHeights(reader)).get(ledger) ?? -1
  return placeOfHeight(ledger, Math.max(height, -1) + 1)
}
