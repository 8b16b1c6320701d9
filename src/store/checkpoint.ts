/**
 * Height that each stage of a store has reached. Moved in the same transaction as the stage's rows.
 */

import { Fault } from '../core/fault.ts'
import { type Reader, statement, type Writer } from './engine/database.ts'

/** Stages of an EVM chain. */
export const blockStage = 'blocks'
export const traceStage = 'traces'

/** Last height a stage has committed, and the hash of that block where the stage knows it. */
export type Checkpoint = { readonly height: number; readonly hash: Uint8Array | undefined }

const checkpointOfStage = statement('select height, hash from checkpoint where stage = ?')
const allCheckpoints = statement('select stage, height from checkpoint order by stage')
const first = statement(
  'insert into checkpoint (stage, height, hash, epoch) values (?, ?, ?, ?) on conflict do nothing',
)
const next = statement(
  'update checkpoint set height = ?, hash = ?, epoch = ? where stage = ? and height = ?',
)

/** Checkpoint of `stage`, or `undefined` when it has committed nothing yet. */
export async function getCheckpoint(
  reader: Reader,
  stage: string,
): Promise<Checkpoint | undefined> {
  const row = await reader.get(checkpointOfStage, [stage])
  if (row === undefined) return undefined
  return { height: row[0], hash: row[1] ?? undefined }
}

/** Heights of all stages by name. */
export async function checkpointHeights(reader: Reader): Promise<Map<string, number>> {
  const rows = await reader.all(allCheckpoints)
  return new Map(rows.map(([stage, height]) => [stage, height]))
}

/**
 * Moves the checkpoint of `stage` from `before` to `after`. Throws `lease-lost` when it is no
 * longer at `before`: another process has written since.
 */
export async function moveCheckpoint(
  writer: Writer,
  stage: string,
  move: {
    readonly before: number | undefined
    readonly after: Checkpoint
    readonly epoch: number
  },
): Promise<void> {
  const { height, hash = null } = move.after
  const changed =
    move.before === undefined
      ? await writer.run(first, [stage, height, hash, move.epoch])
      : await writer.run(next, [height, hash, move.epoch, stage, move.before])
  if (changed !== 1)
    throw new Fault('lease-lost', `checkpoint of ${stage} is not at: ${move.before}`, {
      detail: { stage, expected: move.before, next: height },
    })
}
