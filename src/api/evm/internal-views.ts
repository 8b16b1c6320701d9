/** Internal transactions as the API shows them. */

import { frameKinds } from '../../codec/evm/columns.ts'
import type {
  InternalTransaction,
  InternalTransactionDetails,
} from '../../shape/evm/transaction.ts'
import type { InternalRow } from '../../store/query/evm/internals.ts'
import type { Named } from './party-book.ts'
import { decimalText } from './text.ts'
import { zeroParty } from './transaction-views.ts'
import { placement } from './transfer-views.ts'

/** Numbers of the addresses in `rows`. */
export function internalParties(rows: readonly InternalRow[]): number[] {
  return rows.flatMap((row) => (row.toId === undefined ? [row.fromId] : [row.fromId, row.toId]))
}

/** An internal transaction with its place. */
export function internalTransaction(row: InternalRow, named: Named): InternalTransaction {
  return { ...placement(row), ...internalDetails(row, named) }
}

/** An internal transaction inside its transaction. A failed creation is to the zero address. */
export function internalDetails(row: InternalRow, named: Named): InternalTransactionDetails {
  return {
    from: named(row.fromId).party,
    to: row.toId === undefined ? zeroParty : named(row.toId).party,
    internalTxType: frameType(row.kind),
    value: decimalText(row.value),
    isReverted: row.reverted,
    gasUsed: String(row.gasUsed),
    gasLimit: String(row.gasLimit),
  }
}

/** The clients' name of a kind of call frame. */
export function frameType(kind: number): InternalTransactionDetails['internalTxType'] {
  switch (kind) {
    case frameKinds.call:
      return 'CALL'
    case frameKinds.create:
      return 'CREATE'
    case frameKinds.create2:
      return 'CREATE2'
    case frameKinds.create3:
      return 'CREATE3'
    case frameKinds.callcode:
      return 'CALLCODE'
    default:
      return 'UNKNOWN'
  }
}
