/** Work on the store of a chain's logs beside their stage: they freeze, and what is stored is compared with its sums. */

import type { MergeFiles } from '../../../store/history/merge-files.ts'
import { underLease } from '../../../store/lease.ts'
import type { FreezeSettings } from '../../../store/open.ts'
import { logStoreOf, logStoreTables } from '../../../store/schema/logs.ts'
import { checkStream } from '../../stream/check-stream.ts'
import type { OpenChain } from '../../stream/open-chain.ts'
import { Freezer, type FreezingChain, freezeStream, logHistory } from '../freeze/freeze-stream.ts'
import { mergeStream } from '../freeze/merge-stream.ts'
import type { LogStore } from '../logs/log-stream.ts'

/** Begins the work on the store of logs of `chain`; without `freeze` none of it is frozen or merged. */
export function besideLogs(
  { key, clock, log }: OpenChain,
  { store, lease }: LogStore,
  {
    freeze,
    merge,
  }: { readonly freeze: FreezeSettings | undefined; readonly merge: MergeFiles | undefined },
): NonNullable<LogStore['beside']> {
  const own: FreezingChain = {
    key: logStoreOf(key),
    database: store,
    clock,
    log,
    commit: (work) => underLease(store, { lease, clock }, work),
  }
  const freezer = freeze && new Freezer(own, freeze, logHistory)
  const check = checkStream({ ...own, tables: logStoreTables })
  const streams = [
    check,
    ...(freezer === undefined ? [] : [freezeStream(freezer, clock), mergeStream(own, merge)]),
  ]
  const over = new AbortController()
  const running = Promise.all(streams.map((each) => each.run(over.signal)))
  return {
    report: () => {
      const { state, reason } = check.status()
      if (state === 'stopped') return { state, reason }
      // Logs that stay in tables are answered all the same.
      const ended = streams.map((each) => each.status()).find((each) => each.state === 'off')
      const stays = freezer?.report().reason ?? ended?.reason
      return stays === undefined ? {} : { reason: stays }
    },
    end: async () => {
      over.abort()
      await running
    },
  }
}
