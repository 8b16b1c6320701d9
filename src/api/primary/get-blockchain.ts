/** One chain of a subnet. */

import { clip, equalBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { ChainPath } from '../../shape/primary/parameters.ts'
import { Blockchain } from '../../shape/primary/subnet.ts'
import { Type } from '../../shape/type.ts'
import { chainsById } from '../../store/query/primary/subnets.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { indexedTo, namedChain } from './chain-of.ts'
import { idIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { chainView, pChainView } from './subnet-view.ts'

const GetBlockchain = {
  id: 'getBlockchainById',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}',
  summary: 'One chain',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: ChainPath,
    query: Type.Object({}),
  },
  response: Blockchain,
} as const

/** The chain with an id or alias. */
export function getBlockchain(parts: PrimaryParts): Operation {
  return operation(GetBlockchain, async ({ path }) => {
    const { chain: own, text, ...network } = namedChain(parts.networks, path)
    const id = own === undefined ? idIn('blockchainId', text) : network.chainIds[own]
    const height = await indexedTo(network.store, 'P')
    if (equalBytes(id, network.chainIds.P)) return { body: pChainView(network), ...height }
    const [chain] = (await chainsById(network.store, [id])).values()
    if (chain === undefined)
      throw new Fault('not-found', `blockchain is not known: ${clip(path.blockchainId)}`)
    return { body: chainView(chain), ...height }
  })
}
