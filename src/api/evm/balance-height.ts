/** The block at which balances are asked. */

import { Fault } from '../../core/fault.ts'
import { indexedHeight } from '../../store/query/evm/heights.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { BalanceMoment } from './compared-balances.ts'

/**
 * Reads parameter `blockNumber`; `undefined` is the newest block. Throws `not-found` for a block that
 * is not indexed yet.
 */
export async function balanceHeight(
  chain: ServedChain,
  blockNumber: string | undefined,
): Promise<number | undefined> {
  if (blockNumber === undefined) return undefined
  return (await balanceMoment(chain, { blockNumber }, new AbortController().signal)).height
}

/** The same of ERC-20 balances; `compared` says that the caller insists on those of the node. */
export async function balanceMoment(
  chain: ServedChain,
  of: { readonly blockNumber?: string | undefined; readonly compared?: boolean | undefined },
  signal: AbortSignal,
): Promise<BalanceMoment> {
  const indexed = await indexedHeight(chain.store, 'blocks')
  const height = of.blockNumber === undefined ? indexed : Number(of.blockNumber)
  if (height > indexed)
    throw new Fault('not-found', `block is not known here, the newest is ${indexed}: ${height}`)
  return { height, isNewest: height === indexed, insists: of.compared === true, signal }
}
