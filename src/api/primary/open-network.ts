/** A store of a primary network as a network to serve. */

import { toCb58 } from '../../core/cb58.ts'
import { hrpOf, type Network } from '../../core/network.ts'
import type { Database } from '../../store/engine/database.ts'
import { networkFacts } from '../../store/query/primary/network.ts'
import type { ServedNetwork } from './network-directory.ts'
import { newOwnerKeys } from './owner-keys.ts'

/** The network of `store`; `undefined` before its genesis is stored. */
export async function openNetwork(
  network: Network,
  store: Database,
): Promise<ServedNetwork | undefined> {
  const facts = await networkFacts(store)
  if (facts === undefined) return undefined
  const chainIds = { P: new Uint8Array(32), X: facts.xChainId, C: facts.cChainId }
  return {
    network,
    networkId: facts.networkId,
    hrp: hrpOf(facts.networkId),
    chainIds,
    blockchainIds: { P: toCb58(chainIds.P), X: toCb58(chainIds.X), C: toCb58(chainIds.C) },
    avaxAssetId: facts.avaxAssetId,
    genesisTime: facts.genesisTime,
    store,
    ownerKeys: newOwnerKeys(),
  }
}
