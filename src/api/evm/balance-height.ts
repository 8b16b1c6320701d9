/** The height a balance is asked at. */

import { Fault } from '../../core/fault.ts'
import { indexedHeight } from '../../store/query/evm/indexed-height.ts'
import type { ServedChain } from '../operation/chain-directory.ts'

/**
 * Reads parameter `blockNumber`; `undefined` is the newest block. Throws `not-found` for a block that
 * is not indexed yet.
 */
export async function balanceHeight(
  chain: ServedChain,
  blockNumber: string | undefined,
): Promise<number | undefined> {
  if (blockNumber === undefined) return undefined
  const indexed = await indexedHeight(chain.store, 'blocks')
  const asked = Number(blockNumber)
  if (asked > indexed)
    throw new Fault('not-found', `block is not known here, the newest is ${indexed}: ${asked}`)
  return asked
}
