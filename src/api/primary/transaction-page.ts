/** Pages of transactions as answers show them. */

import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import type { StoredTransaction } from '../../store/query/primary/transactions.ts'
import type { ChainOf } from './chain-of.ts'
import { pageFactsOf } from './transaction-facts.ts'
import { transactionView } from './transaction-view.ts'

/**
 * As many of `transactions`, from the first, as carry `maxUtxos` UTXOs together; at least one.
 */
export function withinUtxos(
  transactions: readonly StoredTransaction[],
  maxUtxos: number,
): readonly StoredTransaction[] {
  let carried = 0
  let count = 0
  for (const { made, spent } of transactions) {
    carried += made.count + spent.length
    if (count > 0 && carried > maxUtxos) break
    count++
  }
  return transactions.slice(0, count)
}

/** Transactions as answers show them. */
export async function transactionViews(
  of: ChainOf,
  transactions: readonly StoredTransaction[],
): Promise<PrimaryNetworkTransaction[]> {
  const facts = await pageFactsOf(of, transactions)
  return transactions.map((transaction) => transactionView(of, transaction, facts))
}
