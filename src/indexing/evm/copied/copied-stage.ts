/** How `/status` shows the comparison of a copied history with the node. */

import type { CopiedHistory } from '../../../store/copied-history.ts'
import { idleStatus, type StageStatus } from '../../stream/stage.ts'

/** Name of the stage. */
export const copiedStageName = 'copied'

/**
 * The stage of a history that came from a snapshot: `stopped` where something differs, `live` once
 * everything that is to be compared was, `off` where nothing is to be compared.
 */
export function copiedStage({ from, until, check, refused }: CopiedHistory): StageStatus {
  const height = Math.max(from, check?.next.blocks ?? from) - 1
  const stage = { ...idleStatus(copiedStageName), indexedHeight: height, headHeight: until - 1 }
  if (refused !== undefined) return { ...stage, state: 'stopped', reason: refused }
  if (check?.percent === 0)
    return { ...stage, state: 'off', reason: 'index.checkCopied is 0: nothing is compared' }
  return check?.isDone === true
    ? { ...stage, state: 'live', indexedHeight: until - 1 }
    : { ...stage, state: 'syncing' }
}

/**
 * A stage of a chain with the stage of its copied history: once the copy is refused nothing is
 * live, even where other stages are at the head.
 */
export function asBelieved(stage: StageStatus, copied: StageStatus | undefined): StageStatus {
  if (copied?.state !== 'stopped' || stage.state !== 'live') return stage
  return { ...stage, state: 'stopped', ...(copied.reason && { reason: copied.reason }) }
}
