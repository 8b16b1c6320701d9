/** Content of an output alone, whatever its chain. */

import { outputTypes } from '../../core/type-ids.ts'
import { decode } from '../cursor.ts'
import { pOutput } from './p-transaction.ts'
import { xOutput } from './x-transaction.ts'

/** Values that every type of output has. */
export type OutputContent = {
  /** Wire type id inside any stakeable lock; the same on all chains. */
  readonly type: number
  /** 0 when it has none. */
  readonly amount: bigint
  readonly addresses: readonly Uint8Array[]
  readonly threshold: number
  /** Unix seconds; 0 = at once. */
  readonly locktime: bigint
  readonly stakeableLocktime: bigint
  readonly groupId: number | undefined
  readonly payload: Uint8Array | undefined
}

/** Content of an output in wire form. Throws `bad-bytes`. */
export function outputContent(bytes: Uint8Array): OutputContent {
  const tag = bytes[3]
  if (tag === 7 || tag === 22) {
    const output = decode(pOutput, bytes)
    const inner = output.typeId === outputTypes.stakeableLocked ? output.output : output
    const stakeableLocktime = output.typeId === outputTypes.stakeableLocked ? output.locktime : 0n
    return { ...inner, type: 7, stakeableLocktime, groupId: undefined, payload: undefined }
  }
  const output = decode(xOutput, bytes)
  return {
    type: output.typeId,
    amount: 'amount' in output ? output.amount : 0n,
    addresses: output.addresses,
    threshold: output.threshold,
    locktime: output.locktime,
    stakeableLocktime: 0n,
    groupId: 'groupId' in output ? output.groupId : undefined,
    payload: 'payload' in output ? output.payload : undefined,
  }
}
