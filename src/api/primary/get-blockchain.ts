/** One chain of a subnet. */

import { clip, equalBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { GetBlockchain } from '../../shape/primary/get-blockchain.ts'
import { chainsById } from '../../store/query/primary/blockchains.ts'
import { operation, type Operation } from '../operation.ts'
import { indexedTo } from './chain-of.ts'
import { idIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { chainView, pChainView } from './subnet-view.ts'

const aliases: Readonly<Record<string, 'P' | 'X' | 'C'>> = {
  'p-chain': 'P',
  'x-chain': 'X',
  'c-chain': 'C',
}

/** The chain with an id or alias. */
export function getBlockchain(parts: PrimaryParts): Operation {
  return operation(GetBlockchain, async ({ path }) => {
    const network = parts.networks.find(path.network)
    const alias = aliases[path.blockchainId]
    const id =
      alias === undefined ? idIn('blockchainId', path.blockchainId) : network.chainIds[alias]
    const height = await indexedTo(network.store, 'P')
    if (equalBytes(id, network.chainIds.P)) return { body: pChainView(network), ...height }
    const [chain] = (await chainsById(network.store, [id])).values()
    if (chain === undefined)
      throw new Fault('not-found', `blockchain is not known: ${clip(path.blockchainId)}`)
    return { body: chainView(chain), ...height }
  })
}
