/** The chains that other processes of the deployment index, for the join of their messages. */

import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { toldChainBodies } from '../../store/query/deployment-processes.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import type { MessengerChain } from '../stream/stream-spec.ts'

/** Between two looks: a chain that is new somewhere may wait that long. */
const lookEveryMs = 5_000

/** Chains of the whole deployment. */
export type DeploymentChains = {
  /** Chains found since the last call whose store names are not in `known`. */
  readonly found: (known: ReadonlySet<string>) => Promise<readonly MessengerChain[]>
  readonly close: () => Promise<void>
}

/** Looks at what processes told of their chains; nothing is found where stores are embedded. */
export function deploymentChains(location: StoreLocation, clock: Clock): DeploymentChains {
  let store: Database | undefined
  let lookedMs = Number.NEGATIVE_INFINITY
  return {
    found: async (known) => {
      if (location.store === 'embedded' || clock.monotonic() - lookedMs < lookEveryMs) return []
      lookedMs = clock.monotonic()
      store ??= await openStore(location, deploymentStore, deploymentTables, 'write')
      const chains = (await toldChainBodies(store)).map(chainIn)
      return chains.filter(({ key }) => !known.has(key))
    },
    close: async () => store?.close(),
  }
}

function chainIn(body: string): MessengerChain {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by chain-shares.ts
  return JSON.parse(body) as MessengerChain
}
