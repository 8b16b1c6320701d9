/** The height a balance is asked at. */

import { Fault } from '../../core/fault.ts'
import { indexedHeight } from '../../store/query/evm/indexed-height.ts'
import type { ServedChain } from '../chain-directory.ts'

/** Where the logs end, and what to ask the node at (`undefined` is the newest block). */
export type BalanceHeight = { readonly indexed: number; readonly asked: number | undefined }

/** Reads parameter `blockNumber`. Throws `not-found` for a block that is not indexed yet. */
export async function balanceHeight(
  chain: ServedChain,
  blockNumber: string | undefined,
): Promise<BalanceHeight> {
  const indexed = await indexedHeight(chain.store, 'blocks')
  if (blockNumber === undefined) return { indexed, asked: undefined }
  const asked = Number(blockNumber)
  if (asked > indexed)
    throw new Fault('not-found', `block is not known here, the newest is ${indexed}: ${asked}`)
  return { indexed, asked }
}
