/** Rows of transactions as views. */

import type { NativeTransaction } from '../../shape/evm/native-transaction.ts'
import type { TransactionRow } from '../../store/query/evm/transaction-row.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { EvmParts } from './parts.ts'
import { nativeTransaction, transactionParties } from './transaction-views.ts'

/** Views of `rows`, in their order. */
export async function nativeTransactions(
  parts: EvmParts,
  chain: ServedChain,
  rows: readonly TransactionRow[],
): Promise<NativeTransaction[]> {
  const named = await parts.parties(chain).load(transactionParties(rows))
  const context = {
    chainId: String(chain.facts.evmChainId),
    named,
    methodNames: parts.methodNames,
  }
  return rows.map((row) => nativeTransaction(row, context))
}
