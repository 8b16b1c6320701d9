/** An EVM chain whose store this process writes. */

import type { Clock } from '../../core/world.ts'
import type { EvmSource } from '../../source/evm-source.ts'
import type { Database, Writer } from '../../store/engine/database.ts'
import type { Log } from '../../telemetry/log.ts'

/** A chain as the streams beside its blocks see it: its store, which is written under a lease, and its node. */
export type OpenChain = {
  /** Name of its store. */
  readonly key: string
  readonly database: Database
  readonly source: EvmSource
  readonly clock: Clock
  readonly log: Log
  /** Does work in one transaction, under the lease, when no batch is being written. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
}

/** A chain whose streams rest while nothing changes. */
export type WatchedChain = OpenChain & {
  /** Another number after each commit of this process, but those that only renew the lease. */
  readonly changes: () => number
}
