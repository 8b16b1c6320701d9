/** A row of a copied history that is not the one that the node's block makes. */

import { toHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { Value } from '../../../store/engine/database.ts'

/** Place of a row, and what both say of it. */
export type DifferentRow = {
  readonly height: number
  readonly table: string
  readonly column: string
  /** Of the copy; `undefined` where it has no such row. */
  readonly copied: Value | undefined
  /** As the node's block makes it; `undefined` where it makes none. */
  readonly told: Value | undefined
}

/** Longest text of a value that is shown. */
const mostShown = 66

/** The fault for a row that differs; its detail names block, table and column. */
export function differs({ height, table, column, copied, told }: DifferentRow): Fault {
  const where = `block ${height}, table ${table}, column ${column}`
  const texts = `copied ${textOf(copied)}, from the node ${textOf(told)}`
  return new Fault(
    'source-mismatch',
    `the copied history is not that of the chain: ${where}: ${texts}`,
    {
      detail: { height, table, column },
    },
  )
}

/** The fault for a table of which more rows were copied than all blocks make, or fewer. */
export function leftOver(table: string, copied: number, told: number): Fault {
  return new Fault(
    'source-mismatch',
    `the copied history is not that of the chain: table ${table} has ${copied} rows, its blocks make ${told}`,
    { detail: { table } },
  )
}

function textOf(value: Value | undefined): string {
  if (value === undefined) return 'no row'
  const text = value instanceof Uint8Array ? `0x${toHex(value)}` : String(value)
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`
}
