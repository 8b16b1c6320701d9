/** How far a chain is indexed, traced and proven, and heights of moments. */

import { Fault } from '../../../core/fault.ts'
import { getCheckpoint } from '../../checkpoint.ts'
import { type Reader, statement, type Writer } from '../../engine/database.ts'
import { metaText, putMeta } from '../../meta.ts'
import { currentAtName, proofsName } from '../../schema/control.ts'
import { blockTimestamp } from './blocks.ts'

/** Stages whose checkpoints answers are complete up to. */
type AnswerStage = 'blocks' | 'traces'

/**
 * Height of the last block a stage has committed, or -1 before the first.
 *
 * Cost: one look-up by the key of `checkpoint`.
 */
export async function indexedHeight(store: Reader, stage: AnswerStage): Promise<number> {
  return (await getCheckpoint(store, stage))?.height ?? -1
}

/** Heights of an EVM chain; -1 where nothing is stored. */
export type StoredHeights = {
  /** Last block. */
  readonly blocks: number
  /** Last block whose traces are stored. */
  readonly traces: number
  /** First height from which traces are complete; `undefined`: from the first stored block on. */
  readonly tracesSince: number | undefined
}

const tracedHeightsQuestion = statement(
  `select (select height from checkpoint where stage = 'blocks'),
     (select height from checkpoint where stage = 'traces'),
     (select value from meta where name = 'tracesSince')`,
)

/** Heights of `store`. Cost: three look-ups by key in one statement. */
export async function storedHeights(store: Reader): Promise<StoredHeights> {
  const [blocks, traces, since] = (await store.get(tracedHeightsQuestion)) ?? []
  const first = typeof since === 'string' ? Number(since) : undefined
  const traced = typeof traces === 'number' || typeof traces === 'bigint' ? Number(traces) : -1
  return {
    blocks: typeof blocks === 'number' || typeof blocks === 'bigint' ? Number(blocks) : -1,
    // A store whose end was taken away may have fewer than it began with.
    traces: first !== undefined && traced < first ? -1 : traced,
    tracesSince: first,
  }
}

const first = statement('select height from evm_block order by height limit 1', { over: 'oldest' })
const firstInTables = statement('select min(height) from evm_block', { over: 'tables' })

/** Height of the first block that is stored; `undefined` before there is one. Cost: the end of a key. */
export async function firstHeight(reader: Reader): Promise<number | undefined> {
  return (await reader.get(first))?.[0]
}

/** The same of the blocks that are not frozen. */
export async function firstHeightInTables(reader: Reader): Promise<number | undefined> {
  return (await reader.get(firstInTables))?.[0] ?? undefined
}

/**
 * The last height up to `newest` whose block is not younger than `seconds` (Unix); -1 where all are.
 *
 * Cost: one look-up by key for each halving of the heights, 27 on a chain of 100 million blocks.
 */
export async function heightAtTime(
  store: Reader,
  { seconds, newest }: { readonly seconds: number; readonly newest: number },
): Promise<number> {
  let known = -1
  let above = newest + 1
  while (above - known > 1) {
    const middle = Math.floor((known + above) / 2)
    const timestamp = await blockTimestamp(store, middle)
    // Heights before the first stored block have none.
    if (timestamp === undefined || timestamp <= seconds) known = middle
    else above = middle
  }
  return known
}

/**
 * Unix seconds at which a node last said that the stored height is its head; `undefined` before it
 * did. Cost: one look-up by key.
 */
export async function currentAt(reader: Reader): Promise<number | undefined> {
  const value = await metaText(reader, currentAtName)
  return value === undefined ? undefined : Number(value)
}

/** Keeps the moment, Unix seconds. */
export async function storeCurrentAt(writer: Writer, at: number): Promise<void> {
  await putMeta(writer, { [currentAtName]: String(at) })
}

/** Receipts that a later header commits to, on a chain that executes after acceptance. */
export type StoredSettlement = {
  /** The last stored height. */
  readonly at: number
  /** Height that its header settles. */
  readonly settles: number
  /** Up to which height receipts are proven. */
  readonly proven: number
  /**
   * Heights after `settles`, each with a sum of the receipts that its rows were made of, in hex.
   */
  readonly unsettled: readonly (readonly [height: number, sum: string])[]
}

/** The unproven blocks; a part is absent where it has none. */
export type StoredProofs = {
  /** First height that was taken without a proof. */
  readonly unprovenFrom?: number | undefined
  /** Why blocks are taken that hashes do not prove. */
  readonly unverified?: string | undefined
  readonly settlement?: StoredSettlement | undefined
  /**
   * By contract and form: the height from which on its transfers were taken by their form, as it does
   * not say what they are.
   */
  readonly doubts?: Readonly<Record<string, number>> | undefined
}

/** The text in `meta`; empty where there is nothing to say. */
export function proofsText(proofs: StoredProofs): string {
  const text = JSON.stringify(proofs)
  return text === '{}' ? '' : text
}

/** The stored text; empty when there is none. */
export async function storedProofsText(reader: Reader): Promise<string> {
  return (await metaText(reader, proofsName)) ?? ''
}

/**
 * The stored value. Throws `store-failed` for text that is no such value. Cost: one look-up by key.
 */
export async function storedProofs(reader: Reader): Promise<StoredProofs> {
  const text = await storedProofsText(reader)
  if (text === '') return {}
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `proofsText`
    return JSON.parse(text) as StoredProofs
  } catch (cause) {
    throw new Fault('store-failed', 'stored proofs are not JSON', { cause })
  }
}

/** Last height up to which every block is proven, of blocks stored up to `height`. */
export function provenHeightOf({ unprovenFrom, settlement }: StoredProofs, height: number): number {
  const checked = Math.min(height, (unprovenFrom ?? height + 1) - 1)
  return Math.min(checked, settlement?.proven ?? checked)
}
