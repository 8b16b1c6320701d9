/** Places of a webhook's ledger by height. */

import { checkpointHeights } from '../../checkpoint.ts'
import type { Reader } from '../../engine/database.ts'
import {
  blockIdOf,
  chainNumbers,
  firstPosOf,
  placeOfPos,
  type PrimaryChain,
} from '../../schema/primary/position.ts'
import { heightOf, posOfHeight } from '../evm/position.ts'
import { slotLedgers, type WebhookLedger } from './watch.ts'

/** The chain of the primary network that a ledger is of; `undefined` for those of EVM chains. */
export function primaryChainOf(ledger: WebhookLedger): PrimaryChain | undefined {
  if (ledger === 'P' || ledger === 'X') return ledger
  return (['P', 'X', 'C'] as const).find((chain) => slotLedgers[chain] === ledger)
}

/** First place of a block. */
export function placeOfHeight(ledger: WebhookLedger, height: number): number {
  const chain = primaryChainOf(ledger)
  return chain === undefined
    ? posOfHeight(height)
    : firstPosOf(blockIdOf(chainNumbers[chain], height))
}

/** Height of the block of a place. */
export function heightOfPlace(ledger: WebhookLedger, pos: number): number {
  return primaryChainOf(ledger) === undefined ? heightOf(pos) : placeOfPos(pos).height
}

/** First place that is not stored yet. */
export async function storedUntil(reader: Reader, ledger: WebhookLedger): Promise<number> {
  const height = (await checkpointHeights(reader)).get(ledger) ?? -1
  return placeOfHeight(ledger, Math.max(height, -1) + 1)
}
