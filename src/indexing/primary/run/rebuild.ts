/** Makes every row of a primary network's store again from the blocks another store kept. */

import type { World } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import type { StoreLocation } from '../../../store/open.ts'
import { genesisId, rawBlocksFrom } from '../../../store/query/primary/blocks.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import { openPrimaryHost, type PrimaryHost } from './host.ts'
import { openStoredSource } from './stored-source.ts'

/** The store to rebuild, and its place. */
type RebuildOptions = {
  /** The store that keeps the blocks, open for reading. */
  readonly from: Database
  /** Where the new store `key` is made. */
  readonly to: StoreLocation
  readonly key: string
  readonly world: World
  readonly signal: AbortSignal
  /** Called after every batch. */
  readonly progress: (chain: string, height: number, head: number) => void
}

/** Rebuilds. The new store is whole when this returns. Faults are those of replay and stores. */
export async function rebuildPrimary(options: RebuildOptions): Promise<void> {
  const { from, signal } = options
  const source = openStoredSource(from)
  const [genesis] = await rawBlocksFrom(from, genesisId, 1)
  const host = await openPrimaryHost({
    ...options,
    source,
    store: options.to,
    genesis: 'auto',
    genesisBytes: genesis?.bytes,
    owner: 'rebuild',
  })
  try {
    for (const chain of ['P', 'X', 'C'] as const) {
      const head = await source.headHeight(chain, signal)
      await rebuildChain(host, { chain, head }, options)
      await host.settled()
    }
  } finally {
    await host.close()
  }
}

/** Replays the blocks of one chain up to `head`. */
async function rebuildChain(
  host: PrimaryHost,
  { chain, head }: { readonly chain: ChainName; readonly head: number },
  { signal, progress }: RebuildOptions,
): Promise<void> {
  const replay = await host.replay(chain)
  for (;;) {
    signal.throwIfAborted()
    const range = replay.plan(replay.height() + 1, head)
    if (range === undefined) return
    // A proposal at the end of a range comes again with its option.
    const fetched = await replay.fetch(range, signal)
    if (fetched.length > 0) await host.commit(replay, fetched, signal)
    progress(chain, replay.height(), head)
  }
}
