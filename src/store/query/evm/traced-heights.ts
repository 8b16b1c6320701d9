/** Heights up to which a chain's blocks and traces are stored, in one question. */

import { type Reader, statement } from '../../engine/database.ts'

/** Heights of an EVM chain; -1 where nothing is stored. */
export type StoredHeights = {
  /** Last block. */
  readonly blocks: number
  /** Last block whose traces are stored. */
  readonly traces: number
  /** First height from which traces are complete; `undefined`: from the first stored block on. */
  readonly tracesSince: number | undefined
}

const question = statement(
  `select (select height from checkpoint where stage = 'blocks'),
     (select height from checkpoint where stage = 'traces'),
     (select value from meta where name = 'tracesSince')`,
)

/** Heights of `store`. Cost: three look-ups by key in one statement. */
export async function storedHeights(store: Reader): Promise<StoredHeights> {
  const [blocks, traces, since] = (await store.get(question)) ?? []
  const first = typeof since === 'string' ? Number(since) : undefined
  const traced = typeof traces === 'number' || typeof traces === 'bigint' ? Number(traces) : -1
  return {
    blocks: typeof blocks === 'number' || typeof blocks === 'bigint' ? Number(blocks) : -1,
    // A store whose end was taken away may have fewer than it began with.
    traces: first !== undefined && traced < first ? -1 : traced,
    tracesSince: first,
  }
}
