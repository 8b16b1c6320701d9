/** Latest blocks of a chain of the primary network. */

import { ListPrimaryBlocks } from '../../shape/primary/list-blocks.ts'
import { latestBlocks } from '../../store/query/primary/blocks.ts'
import { operation, type Operation } from '../operation.ts'
import { blockPage } from './block-page.ts'
import { chainOf } from './chain-of.ts'
import type { PrimaryParts } from './parts.ts'

/** Latest blocks, newest first. */
export function listPrimaryBlocks(parts: PrimaryParts): Operation {
  return operation(ListPrimaryBlocks, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    return blockPage(parts, {
      chain,
      query,
      route: ListPrimaryBlocks.id,
      rows: (range) => latestBlocks(chain.store, range),
    })
  })
}
