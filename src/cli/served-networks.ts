/** The primary networks this process answers about: each as soon as its store holds genesis. */

import type { ServedNetwork } from '../api/primary/network-directory.ts'
import { readGenesis } from '../codec/primary/genesis.ts'
import { hrpOf } from '../core/network.ts'
import { primaryStoreTables } from '../indexing/primary/primary-store.ts'
import { genesisId } from '../indexing/primary/store-blocks.ts'
import type { PrimaryStreamSpec } from '../indexing/stream-spec.ts'
import { statement, type Database } from '../store/engine/database.ts'
import { rawBlocksFrom } from '../store/query/primary/raw-blocks.ts'
import { type FollowParts, followStore } from './follow-store.ts'

/** Networks being served, growing while stores appear. */
export type ServedNetworks = {
  readonly list: () => readonly ServedNetwork[]
  readonly close: () => Promise<void>
}

const networkId = statement("select value from meta where name = 'networkId'")
const pChainId = new Uint8Array(32)

/** Starts to serve; returns once every store that exists already is open. */
export async function serveNetworks(
  specs: readonly PrimaryStreamSpec[],
  parts: FollowParts,
): Promise<ServedNetworks> {
  const found = new Map<string, ServedNetwork>()
  let list: readonly ServedNetwork[] = []
  const followed = await Promise.all(
    specs.map((spec) =>
      followStore(spec.key, primaryStoreTables, {
        ...parts,
        accept: async (database) => {
          const network = await networkOf(spec, database)
          if (network === undefined) return false
          found.set(spec.key, network)
          list = specs.flatMap(({ key }) => found.get(key) ?? [])
          return true
        },
      }),
    ),
  )
  return {
    list: () => list,
    close: async () => {
      for (const store of followed) await store.close()
    },
  }
}

/** What genesis says of the network, or `undefined` until it is stored whole. */
async function networkOf(
  spec: PrimaryStreamSpec,
  store: Database,
): Promise<ServedNetwork | undefined> {
  const [id] = (await store.get(networkId)) ?? []
  if (id === undefined) return undefined
  const [genesis] = await rawBlocksFrom(store, genesisId, 1)
  if (genesis === undefined) return undefined
  const facts = readGenesis(genesis.bytes)
  return {
    network: spec.network,
    networkId: Number(id),
    hrp: hrpOf(Number(id)),
    chainIds: { P: pChainId, X: facts.xChainId, C: facts.cChainId },
    avaxAssetId: facts.avaxAssetId,
    genesisTime: Number(facts.genesis.time),
    store,
  }
}
