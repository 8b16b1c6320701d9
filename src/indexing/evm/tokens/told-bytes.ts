/**
 * Columns of blocks that one process tells another of the same deployment, as bytes.
 *
 * The bytes begin with the SHA-256 of the rest, so that nothing is taken that a wire or a disk changed.
 * Columns of another version are refused by the names of all columns.
 */

import { blockTable, eventTable, transferTable, txTable } from '../../../codec/evm/columns.ts'
import { concatBytes, equalBytes } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { fromFlatBytes, toFlatBytes } from '../../../core/flat-bytes.ts'
import { sha256 } from '../../../core/hash.ts'

const sumBytes = 32

/** Columns that this version reads and writes, each table's in its order. */
const columnNames = [blockTable, txTable, transferTable, eventTable]
  .map(({ kinds }) => Object.keys(kinds).join(' '))
  .join('; ')

/** Bytes of `value`, plain data with columns in it. */
export function toldBytes(value: object): Uint8Array {
  const bytes = toFlatBytes({ columns: columnNames, ...value })
  return concatBytes(sha256(bytes), bytes)
}

/**
 * The value that {@link toldBytes} was given. Throws `node-answer`, which names `what` it is, for bytes that
 * were changed or are of another version.
 */
export function toldValue(bytes: Uint8Array, what: string): Readonly<Record<string, unknown>> {
  const told = bytes.subarray(sumBytes)
  if (!equalBytes(bytes.subarray(0, sumBytes), sha256(told)))
    throw new Fault('node-answer', `${what} was changed on its way`)
  const { columns, ...value } = fromFlatBytes(told)
  if (columns !== columnNames)
    throw new Fault('node-answer', `${what} is of another version of Firn`)
  return value
}
