/** Callers' requests to read the metadata of a token again; the indexer of the chain fulfils them. */

import { Fault } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import { nftRequest } from '../../../store/schema/nft.ts'

/** A token: chain by the name of its store, contract 20 bytes, token id 32 bytes. */
export type NftRequest = {
  readonly chainKey: string
  readonly contract: Uint8Array
  readonly item: Uint8Array
  readonly standard: 721 | 1155
}

/** Takes requests. */
export type NftRequests = {
  /** Throws `rate-limited` when the same was requested within the hour. */
  readonly add: (request: NftRequest) => Promise<void>
}

/** A token may be requested again once an hour. Source: the public clients' documentation. */
const pauseMs = 60 * 60 * 1_000

/** Keeps requests in a store of their own. */
export function storedRequests(store: Database, clock: Clock): NftRequests {
  return {
    add: ({ chainKey, contract, item, standard }) =>
      store.transaction(async (writer) => {
        const key = { chain: [chainKey], contract: [contract], item: [item] }
        const [before] = await writer.lookup(
          { table: nftRequest, key: Object.keys(key), select: ['requested_at'] },
          Object.values(key),
        )
        const waitMs = before === undefined ? 0 : before[0] + pauseMs - clock.now()
        if (waitMs > 0)
          throw new Fault('rate-limited', 'this token was requested within the last hour', {
            detail: { reset: Math.ceil(waitMs / 1_000) },
          })
        await writer.upsert(nftRequest, {
          ...key,
          standard: [standard],
          requested_at: [clock.now()],
        })
      }),
  }
}
