/** Follows one chain of a primary network: fetches ahead while blocks are stored. */

import type { Clock } from '../../../core/world.ts'
import type { PrimarySource } from '../../../source/primary/primary-source.ts'
import { Progress } from '../../stream/progress.ts'
import type { StageStatus } from '../../stream/stage.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import type { ChainReplay, Fetched } from '../replay/chain-replay.ts'
import type { PrimaryHost } from './host.ts'

/** Pause at the head before it is read again; blocks come every few seconds at most. */
const headPauseMs = 500
/** A chain whose node leaves a request unanswered for this long is not called live. */
const patienceMs = 5_000

/** The source and the clock with which a chain is followed; `set` gets each status. */
export type Following = {
  readonly source: PrimarySource
  readonly clock: Clock
  readonly set: (status: Omit<StageStatus, 'stage'>) => void
}

/** Follows a chain until something fails. */
export async function follow(
  chain: ChainName,
  host: PrimaryHost,
  options: Following,
  signal: AbortSignal,
): Promise<void> {
  const { source, clock, set } = options
  const replay = await host.replay(chain)
  const stored = (): number => host.storedHeight(chain)
  const progress = new Progress(clock, stored())
  // Blocks that were fetched and not replayed: a proposal whose option comes with the next blocks.
  let waiting: readonly Fetched<unknown>[] = []
  let ahead: Ahead | undefined
  let last: Omit<StageStatus, 'stage'> | undefined
  const report = (status: Omit<StageStatus, 'stage'>): void => set((last = status))
  const late = (): void => {
    if (last?.state === 'live')
      set({ ...last, state: 'syncing', reason: 'the node does not answer' })
  }
  /** Fetches and stores what there is; returns whether that was nothing. */
  const step = async (): Promise<boolean> => {
    const head = await source.headHeight(chain, signal)
    const at = { head, headAt: Math.floor(clock.now() / 1_000) }
    const from = (waiting.at(-1)?.height ?? replay.height()) + 1
    const range = replay.plan(from, head)
    if (range !== undefined) {
      const fetched = await (ahead?.from === from ? ahead.units : replay.fetch(range, signal))
      ahead = fetchAhead(replay, (fetched.at(-1)?.height ?? from - 1) + 1, head, signal)
      const units = [...waiting, ...fetched]
      if (units.length > 0) await host.commit(replay, units, signal)
      // At the head nothing comes that would show a failure, and `live` means stored.
      if (replay.height() >= head) await host.settled(chain)
      waiting = units.filter(({ height }) => height > replay.height())
      progress.reached(stored())
    }
    report(statusAt(stored(), at, progress))
    return range === undefined
  }
  for (;;) {
    signal.throwIfAborted()
    if (await watched(clock, late, step)) await clock.sleep(headPauseMs, signal)
  }
}

/** Does `work`, and calls `late` when it takes long. */
async function watched<T>(clock: Clock, late: () => void, work: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  clock.sleep(patienceMs, over.signal).then(late, () => undefined)
  try {
    return await work()
  } finally {
    over.abort()
  }
}

type Ahead = { readonly from: number; readonly units: Promise<Fetched<unknown>[]> }

function fetchAhead(
  replay: ChainReplay,
  from: number,
  head: number,
  signal: AbortSignal,
): Ahead | undefined {
  const range = replay.plan(from, head)
  if (range === undefined) return undefined
  const units = replay.fetch(range, signal)
  // Its failure shows when it is awaited.
  units.catch(() => undefined)
  return { from, units }
}

function statusAt(
  height: number,
  { head, headAt }: { readonly head: number; readonly headAt: number },
  progress: Progress,
): Omit<StageStatus, 'stage'> {
  const behind = head < height
  const etaSeconds = progress.eta(head)
  return {
    state: height === head ? 'live' : 'syncing',
    indexedHeight: height,
    headHeight: head,
    headAt,
    blocksPerSecond: Math.round(progress.speed() * 100) / 100,
    etaSeconds,
    reason: behind ? `the node is behind this store: ${head}` : undefined,
  }
}
