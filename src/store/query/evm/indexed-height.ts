/** Height up to which a chain is indexed. */

import { type Reader, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'

const question = statement('select height from checkpoint where stage = ?')

/** Stages whose checkpoints answers are complete up to. */
export type AnswerStage = 'blocks' | 'traces'

/**
 * Height of the last block a stage has committed, or -1 before the first.
 *
 * Cost: one look-up by the key of `checkpoint`.
 */
export async function indexedHeight(store: Reader, stage: AnswerStage): Promise<number> {
  const row = await store.get(question, [stage])
  return row === undefined ? -1 : integerAt(row, 0)
}
