/** One block of the primary network. */

import { clip } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { GetPrimaryBlock } from '../../shape/primary/get-block.ts'
import { blockByHash, blockById, type StoredBlock } from '../../store/query/primary/blocks.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary-position.ts'
import { operation, type Operation } from '../operation.ts'
import { blockViews } from './block-view.ts'
import { chainOf, type ChainOf, indexedTo } from './chain-of.ts'
import { idIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

/** The block with a height or an id. */
export function getPrimaryBlock(parts: PrimaryParts): Operation {
  return operation(GetPrimaryBlock, async ({ path }) => {
    const chain = chainOf(parts.networks, path)
    const height = await indexedTo(chain.store, chain.chain)
    const row = await blockNamed(chain, path.blockId)
    const [body] = row === undefined ? [] : await blockViews(chain, [row])
    if (body === undefined)
      throw new Fault('not-found', `block is not known on this chain: ${clip(path.blockId)}`)
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
