/** The primary networks this process answers about: each as soon as its store holds genesis. */

import type { ServedNetwork } from '../../api/primary/network-directory.ts'
import { openNetwork } from '../../api/primary/open-network.ts'
import type { Network } from '../../core/network.ts'
import type { PrimaryStreamSpec } from '../../indexing/stream/stream-spec.ts'
import { primaryStoreTables } from '../../store/schema/stores.ts'
import { type FollowParts, followStore } from '../stores/follow-store.ts'

/** Networks being served, growing while stores appear. */
export type ServedNetworks = {
  readonly list: () => readonly ServedNetwork[]
  /** Configured networks whose stores do not hold genesis yet. */
  readonly waiting: () => readonly Network[]
  readonly close: () => Promise<void>
}

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
          const network = await openNetwork(spec.network, database)
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
    waiting: () => specs.filter(({ key }) => !found.has(key)).map(({ network }) => network),
    close: async () => {
      for (const store of followed) await store.close()
    },
  }
}
