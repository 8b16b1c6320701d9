/** Document A, operation 10. */

import { ListNodeBlocks } from '../../shape/primary/list-node-blocks.ts'
import { blocksOfNode } from '../../store/query/primary/blocks.ts'
import { numberOfNode } from '../../store/query/primary/numbers-of-keys.ts'
import { operation, type Operation } from '../operation.ts'
import { blockPage } from './block-page.ts'
import { chainOf } from './chain-of.ts'
import { nodeIdIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

/** Latest blocks a node proposed. A node never seen proposed none. */
export function listNodeBlocks(parts: PrimaryParts): Operation {
  return operation(ListNodeBlocks, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const node = await numberOfNode(chain.store, nodeIdIn('nodeId', path.nodeId))
    return blockPage(parts, {
      chain,
      query,
      route: `${ListNodeBlocks.id} ${path.nodeId}`,
      rows: async (range) => (node === undefined ? [] : blocksOfNode(chain.store, node, range)),
    })
  })
}
