/** The stage of a chain's logs, run to some point. */

import assert from 'node:assert/strict'

import { type LogStore, logStream } from '../../../src/indexing/evm/logs/log-stream.ts'
import { BlockChecks } from '../../../src/indexing/evm/read/block-checks.ts'
import type { OpenChain } from '../../../src/indexing/stream/open-chain.ts'
import type { EvmSource } from '../../../src/source/evm-source.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { takeLease } from '../../../src/store/lease.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { systemClock } from '../processes/system-clock.ts'

/** A store of logs, and that of their chain. */
export type Kept = { readonly logs: Database; readonly chain: Database }

/** Says that all there is was read. */
export const isLive = (state: string): boolean => state === 'live'

/** Runs the stage until `isOver` says so of what it tells. */
export async function runStage(
  { logs, chain }: Kept,
  source: EvmSource,
  isOver: (state: string, reason: string | undefined, height: number) => boolean | Promise<boolean>,
  beside?: (chain: OpenChain, opened: LogStore) => NonNullable<LogStore['beside']>,
): Promise<void> {
  const lease = await takeLease(logs, 'test', systemClock)
  assert.ok(lease !== undefined)
  const commit = chain.transaction
  const open = { key: 'chain', database: chain, source, clock: systemClock, log: silentLog, commit }
  const stream = logStream(
    open,
    new BlockChecks({ log: silentLog, endpoints: () => source.endpoints(), checkEvery: 1 }),
    async () => {
      const opened = { store: { ...logs, close: async () => {} }, lease }
      return beside === undefined ? opened : { ...opened, beside: beside(open, opened) }
    },
  )
  const over = new AbortController()
  const running = stream.run(over.signal)
  for (;;) {
    const { state, reason, indexedHeight } = stream.status()
    if (await isOver(state, reason, indexedHeight)) break
    await systemClock.sleep(5)
  }
  over.abort()
  await running
}
