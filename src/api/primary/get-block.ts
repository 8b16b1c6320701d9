/** One block of the primary network. */

import { clip } from '../../core/bytes.ts'
import { PrimaryNetworkBlock } from '../../shape/primary/block.ts'
import { ChainPath } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { blockByHash, blockById, type StoredBlock } from '../../store/query/primary/blocks.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary/position.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { blockViews } from './block-view.ts'
import { chainOf, type ChainOf, indexedTo, unknownOn } from './chain-of.ts'
import { idIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

const GetPrimaryBlock = {
  id: 'getBlockById',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}',
  summary: 'One block by height or id',
  tag: 'Primary Network Blocks',
  weight: 20,
  parameters: {
    path: Type.Object({
      ...ChainPath.properties,
      blockId: Type.String({ description: 'Height, or id in cb58 or hex', maxLength: 128 }),
    }),
    query: Type.Object({}),
  },
  response: PrimaryNetworkBlock,
} as const

/** The block with a height or an id. */
export function getPrimaryBlock(parts: PrimaryParts): Operation {
  return operation(GetPrimaryBlock, async ({ path }) => {
    const chain = chainOf(parts.networks, path)
    const height = await indexedTo(chain.store, chain.chain)
    const row = await blockNamed(chain, path.blockId)
    const [body] = row === undefined ? [] : await blockViews(chain, [row])
    if (body === undefined) throw await unknownOn(chain, `block ${clip(path.blockId)}`)
    return { body, ...height }
  })
}

async function blockNamed(chain: ChainOf, text: string): Promise<StoredBlock | undefined> {
  // Heights have 64 bits; an id in digits alone is longer.
  if (!/^\d{1,20}$/.test(text)) return blockByHash(chain.store, chain.chain, idIn('blockId', text))
  const height = Number(text)
  // Beyond 2^31 no store has a block.
  if (height >= 2 ** 31) return undefined
  return blockById(chain.store, blockIdOf(chainNumbers[chain.chain], height))
}
