/** One block. */

import { GetBlock } from '../../shape/evm/get-block.ts'
import { operation, type Operation } from '../operation.ts'
import { blockView, namedBlock } from './block-views.ts'
import type { EvmParts } from './parts.ts'
import { heightHeader } from './subject.ts'

/** A block by number or hash. Throws `not-found`. */
export function getBlock({ chains }: EvmParts): Operation {
  return operation(GetBlock, async ({ path }) => {
    const chain = chains.find(path.chainId)
    const row = await namedBlock(chain, path.blockId)
    return { body: blockView(row, chain), ...(await heightHeader(chain)) }
  })
}
