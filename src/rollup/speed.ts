/**
 * The fastest block of a day: transactions or gas by the time since the block before.
 *
 * Blocks of one moment count as one: their amounts add up and the time is that since the last
 * earlier moment. Milliseconds are used where both headers have them, else seconds. The genesis
 * block and the first after it are left out: the time between them says nothing.
 */

/** Where the walk over blocks stands; plain numbers, kept in the store between batches. */
export type SpeedState = {
  /** Blocks seen that have a predecessor worth measuring from: genesis is not. */
  seen: number
  /** Time of the current moment and of the one before, milliseconds; -1 before there is one. */
  momentMs: number
  previousMs: number
  /** True when these times are in milliseconds, false when they are whole seconds × 1,000. */
  fine: boolean
  previousFine: boolean
  tx: number
  gas: number
}

/** The start of a chain. */
export function speedStart(): SpeedState {
  return { seen: 0, momentMs: -1, previousMs: -1, fine: false, previousFine: false, tx: 0, gas: 0 }
}

/** One block as the walk sees it; `timestampMs` is -1 where the header has none. */
export type SpeedBlock = {
  readonly height: number
  readonly timestamp: number
  readonly timestampMs: number
  readonly tx: number
  readonly gas: number
}

/**
 * Takes one block. Returns the milliseconds its moment's amounts (`state.tx`, `state.gas`) are to
 * be divided by, or 0 where they do not count.
 */
export function stepSpeed(state: SpeedState, block: SpeedBlock): number {
  const fine = block.timestampMs >= 0
  const bothFine = fine && state.fine
  const at = bothFine ? block.timestampMs : block.timestamp * 1_000
  const current = bothFine ? state.momentMs : Math.floor(state.momentMs / 1_000) * 1_000
  if (block.height > 1 && state.momentMs >= 0 && at === current) {
    state.tx += block.tx
    state.gas += block.gas
  } else {
    state.previousMs = block.height > 1 ? state.momentMs : -1
    state.previousFine = state.fine
    state.momentMs = fine ? block.timestampMs : block.timestamp * 1_000
    state.fine = fine
    state.tx = block.tx
    state.gas = block.gas
  }
  state.seen++
  if (state.previousMs < 0) return 0
  const exact = state.fine && state.previousFine
  const elapsed = exact
    ? state.momentMs - state.previousMs
    : (Math.floor(state.momentMs / 1_000) - Math.floor(state.previousMs / 1_000)) * 1_000
  return Math.max(0, elapsed)
}
