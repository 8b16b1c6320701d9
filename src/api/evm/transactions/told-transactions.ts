/**
 * Transactions in a sentence beside lists, messages and events: told from what is stored. No node says why one
 * failed, so that they are told the same each time.
 */

import type { NativeTransaction, TransactionSummary } from '../../../shape/evm/transaction.ts'
import type { MaybePromise } from '../../../store/engine/database.ts'
import {
  transactionAt,
  transactionByHash,
  type TransactionWithFees,
} from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { noPrices } from '../../prices/token-lists.ts'
import type { EvmContext } from '../evm-context.ts'
import { transactionDetail } from './get-transaction.ts'

/** The sentence of a transaction in `row`. */
export async function toldTransaction(
  evm: EvmContext,
  chain: ServedChain,
  row: TransactionWithFees,
  signal: AbortSignal,
): Promise<TransactionSummary> {
  const context = { ...evm, prices: noPrices, reverts: async () => undefined }
  return (await transactionDetail(context, chain, row, { signal })).summary
}

/** The sentence of a transaction; `undefined` for a hash that the chain does not have. */
export async function toldByHash(
  evm: EvmContext,
  chain: ServedChain,
  txHash: Uint8Array,
  signal: AbortSignal,
): Promise<TransactionSummary | undefined> {
  const row = await transactionByHash(chain.store, txHash)
  return row && toldTransaction(evm, chain, row, signal)
}

/** Views of transactions at places of a chain, each with its sentence where `isWanted`. */
export function toldViews(
  evm: EvmContext,
  chain: ServedChain,
  of: {
    readonly rows: readonly { readonly pos: number }[]
    readonly isWanted: boolean | undefined
    readonly signal: AbortSignal
  },
  views: readonly NativeTransaction[],
): MaybePromise<readonly NativeTransaction[]> {
  if (of.isWanted !== true) return views
  return Promise.all(
    views.map(async (view, at) => {
      const pos = of.rows[at]?.pos
      const row = pos === undefined ? undefined : await transactionAt(chain.store, pos)
      return { ...view, summary: row && (await toldTransaction(evm, chain, row, of.signal)) }
    }),
  )
}
