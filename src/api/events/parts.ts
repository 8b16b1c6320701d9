/** Parts that the operations on webhooks need. */

import type { Clock, Random } from '../../core/world.ts'
import type { ReaderParts } from '../../events/message-reader.ts'
import type { News } from '../../events/news.ts'
import type { Database } from '../../store/engine/database.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { PageTokens } from '../operation/page-token.ts'
import type { NetworkDirectory } from '../primary/network-directory.ts'

/** Everything the operations on webhooks need. */
export type EventParts = {
  /** The store of webhooks, open for writing. Rejects `store-failed` while it cannot be opened. */
  readonly webhooks: () => Promise<Database>
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  /** Key of the store of a primary network. */
  readonly networkKey: (network: 'mainnet' | 'fuji') => string
  /** Newest height of a stage of a store, by the store's key, where it was told of late. */
  readonly headOf: (key: string, stage: string) => number | undefined
  readonly tokens: PageTokens
  readonly clock: Clock
  readonly random: Random
  /** Why nothing may be sent to an address; `undefined` where it may. */
  readonly problemOf: (url: URL) => string | undefined
  /** Returns whether an API key with this id still exists; true for the empty id. */
  readonly isLive: (owner: string) => boolean
  readonly reader: ReaderParts
  readonly news: News
  /** Number of listeners by owner. */
  readonly listeners: Map<string, number>
  readonly limits: {
    /** Setting `events.webhooksPerKey`. */
    readonly webhooks: number
    /** Setting `events.addressesPerWebhook`. */
    readonly addresses: number
    /** Setting `events.listenersPerKey`. */
    readonly listeners: number
  }
}
