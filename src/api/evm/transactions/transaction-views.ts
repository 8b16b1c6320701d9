/** Native and internal transactions as the API shows them. */

import { frameKinds } from '../../../codec/evm/columns/columns.ts'
import { createdAddress } from '../../../codec/evm/proof/rlp.ts'
import { toChecksumAddress } from '../../../core/address.ts'
import type { RichAddress } from '../../../shape/evm/token.ts'
import type {
  Method,
  NativeTransaction,
  InternalTransaction,
  InternalTransactionDetails,
} from '../../../shape/evm/transaction.ts'
import type { InternalRow } from '../../../store/query/evm/internals.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import type { TransactionRow } from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import type { MethodName } from '../abi/known-methods.ts'
import { decimalText } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import { type Labels, labelsOf, type Named } from '../rich-addresses.ts'
import { placement } from '../transfers/transfer-views.ts'

/** `to` of a creation: clients demand an address, and the new contract is none the sender named. */
const zeroRichAddress: RichAddress = { address: '0x0000000000000000000000000000000000000000' }

/** Facts that the views of transactions use beside their rows. */
export type TransactionContext = {
  /** EVM chain id. */
  readonly chainId: string
  readonly named: Named
  readonly methodName: MethodName
  readonly labels: Labels
}

/** Facts that the views of `rows` need, with `more` addresses by number. */
export async function transactionContext(
  { addressBooks, methodNames }: EvmContext,
  chain: ServedChain,
  rows: readonly TransactionRow[],
  more: readonly number[] = [],
): Promise<TransactionContext> {
  const book = addressBooks(chain)
  // Numbers of the addresses in `rows`, and `more`.
  const ids = [...more]
  for (const row of rows) {
    ids.push(row.fromId)
    if (row.toId !== undefined) ids.push(row.toId)
  }
  const named = await book.load(ids)
  const methodName = await methodNames(rows.map(({ selector }) => selector))
  const labels = await labelsOf(
    book,
    rows.map((row) => contractMadeBy(row, named)),
  )
  return { chainId: String(chain.facts.evmChainId), named, methodName, labels }
}

/** Views of `rows`, in their order. */
export async function nativeTransactions(
  evm: EvmContext,
  chain: ServedChain,
  rows: readonly TransactionRow[],
): Promise<NativeTransaction[]> {
  const context = await transactionContext(evm, chain, rows)
  return rows.map((row) => nativeTransaction(row, context))
}

/** A transaction of a list. */
export function nativeTransaction(
  row: TransactionRow,
  { chainId, named, methodName, labels }: TransactionContext,
): NativeTransaction {
  const view: NativeTransaction = {
    blockNumber: String(heightOf(row.pos)),
    blockTimestamp: row.timestamp,
    blockHash: row.blockHash,
    chainId,
    blockIndex: placeOf(row.pos),
    txHash: row.hash,
    txStatus: row.status === 1 ? '1' : '0',
    txType: row.type,
    gasLimit: decimalText(row.gasLimit),
    gasUsed: String(row.gasUsed),
    gasPrice: decimalText(row.gasPrice),
    nonce: String(row.nonce),
    from: named(row.fromId).rich,
    to: row.toId === undefined ? zeroRichAddress : named(row.toId).rich,
    method: methodOf(row, methodName),
    value: decimalText(row.value),
  }
  const made = contractMadeBy(row, named)
  if (made !== undefined) {
    view.createdContract = made
    view.createdContractLabel = labels.of(made)
  }
  if (row.timestampMs !== undefined) view.blockTimestampMilliseconds = row.timestampMs
  if (row.minDelayExcess !== undefined) view.blockMinDelayExcess = row.minDelayExcess
  return view
}

/** The contract that a creation made; `undefined` of other transactions, and where it failed. */
function contractMadeBy(
  { toId, status, fromId, nonce }: TransactionRow,
  named: Named,
): string | undefined {
  if (toId !== undefined || status !== 1) return undefined
  const digits = nonce === 0 ? '' : nonce.toString(16)
  return toChecksumAddress(
    createdAddress(
      named(fromId).address,
      `0x${digits.padStart(digits.length + (digits.length % 2), '0')}`,
    ),
  )
}

const creation: Method = {
  callType: 'CONTRACT_CREATION',
  methodHash: '',
  methodName: 'Contract Created',
}
const payment: Method = {
  callType: 'NATIVE_TRANSFER',
  methodHash: '',
  methodName: 'Native Transfer',
}

/** By form alone: no target is a creation, no input a payment, all else a call. */
export function methodOf(
  row: {
    readonly toId: number | undefined
    readonly inputLength: number
    readonly selector: number
  },
  nameOf: MethodName,
): Method {
  if (row.toId === undefined) return creation
  if (row.inputLength === 0) return payment
  const methodHash = `0x${row.selector
    .toString(16)
    .padStart(8, '0')
    .slice(0, Math.min(4, row.inputLength) * 2)}`
  const methodName = row.inputLength < 4 ? undefined : nameOf(row.selector)
  return methodName === undefined
    ? { callType: 'CONTRACT_CALL', methodHash }
    : { callType: 'CONTRACT_CALL', methodHash, methodName }
}

/** Numbers of the addresses in `rows`. */
export function internalAddresses(rows: readonly InternalRow[]): number[] {
  return rows.flatMap((row) => (row.toId === undefined ? [row.fromId] : [row.fromId, row.toId]))
}

/** An internal transaction with its place. */
export function internalTransaction(row: InternalRow, named: Named): InternalTransaction {
  return { ...placement(row), ...internalDetails(row, named) }
}

/** An internal transaction inside its transaction. A failed creation is to the zero address. */
export function internalDetails(row: InternalRow, named: Named): InternalTransactionDetails {
  return {
    from: named(row.fromId).rich,
    to: row.toId === undefined ? zeroRichAddress : named(row.toId).rich,
    internalTxType: frameType(row.kind),
    value: decimalText(row.value),
    isReverted: row.reverted,
    gasUsed: String(row.gasUsed),
    gasLimit: decimalText(row.gasLimit),
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
