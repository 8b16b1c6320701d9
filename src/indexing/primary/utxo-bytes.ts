/** The bytes of a stored UTXO, rebuilt: every field of them is in the row. */

import { encode } from '../../codec/cursor.ts'
import { pOutput } from '../../codec/primary/p-transaction.ts'
import { pUtxo, xUtxo } from '../../codec/primary/utxo.ts'
import { type XOutput, xOutput } from '../../codec/primary/x-transaction.ts'
import { Fault } from '../../core/fault.ts'
import type { UtxoRow } from './ledger-rows.ts'

/** What {@link encodeUtxoRow} reads of a row. */
export type UtxoParts = Pick<
  UtxoRow,
  | 'txId'
  | 'outputIndex'
  | 'assetId'
  | 'outputType'
  | 'amount'
  | 'owner'
  | 'stakeableLocktime'
  | 'groupId'
  | 'payload'
>

/** A UTXO as `getUTXOs` of its chain gives it: codec version first. Throws `bad-bytes`. */
export function encodeUtxoRow(row: UtxoParts): Uint8Array {
  const place = { txId: row.txId, outputIndex: row.outputIndex, assetId: row.assetId }
  if (row.stakeableLocktime === 0n) return encode(xUtxo, { ...place, output: outputOf(row) })
  const output = { amount: row.amount, ...row.owner }
  return encode(pUtxo, {
    ...place,
    output: { typeId: 22, locktime: row.stakeableLocktime, output },
  })
}

/** The output alone, as it stands in its transaction. Throws `bad-bytes`. */
export function encodeOutputOfRow(row: UtxoParts): Uint8Array {
  if (row.stakeableLocktime === 0n) return encode(xOutput, outputOf(row))
  const output = { amount: row.amount, ...row.owner }
  return encode(pOutput, { typeId: 22, locktime: row.stakeableLocktime, output })
}

function outputOf(row: UtxoParts): XOutput {
  const { owner, outputType } = row
  switch (outputType) {
    case 7:
      return { typeId: 7, amount: row.amount, ...owner }
    case 6:
    case 15:
    case 16:
      return { typeId: outputType, ...owner }
    case 10:
      return { typeId: 10, groupId: row.groupId ?? 0, ...owner }
    case 11: {
      const payload = row.payload ?? new Uint8Array(0)
      return { typeId: 11, groupId: row.groupId ?? 0, payload, ...owner }
    }
    default:
      throw new Fault('bad-bytes', `not an output type: ${outputType}`)
  }
}
