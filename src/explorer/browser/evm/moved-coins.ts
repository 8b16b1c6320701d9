/** Coins that transactions move: fees, receivers, and what an address had after each of its transactions. */

import type { RichAddress } from '../../../shape/evm/token.ts'
import type { AddressTransaction, NativeTransaction } from '../../../shape/evm/transaction.ts'

/** Returns whether two addresses are one, in whatever case. */
export function isSame(address: string, other = ''): boolean {
  return address.toLowerCase() === other.toLowerCase()
}

/** The receiver of a transaction: of a creation the contract that it made. */
export function receiverOf({
  to: receiver,
  createdContract,
  createdContractLabel: label,
}: NativeTransaction): RichAddress {
  return createdContract === undefined ? receiver : { address: createdContract, label }
}

/** The fee of a transaction, smallest unit. */
export function feeOf({ gasUsed, gasPrice }: NativeTransaction): string {
  return (BigInt(gasUsed) * BigInt(gasPrice)).toString()
}

/** A balance at a moment. */
type Held = { readonly timestamp: number; readonly units: bigint }

/**
 * Balances after the transactions of an address, oldest first, one a second at most. `transactions` are all of them,
 * newest first; `undefined` where they do not begin with nothing.
 */
export function walkedBack(
  address: string,
  balance: string,
  transactions: readonly AddressTransaction[],
): readonly Held[] | undefined {
  const points: Held[] = []
  let units = BigInt(balance)
  for (const transaction of transactions) {
    const timestamp = transaction.nativeTransaction.blockTimestamp
    // The newest of a second is what it ended with.
    if (points.at(-1)?.timestamp !== timestamp) points.push({ timestamp, units })
    units -= gained(address, transaction)
  }
  return units === 0n ? points.toReversed() : undefined
}

/** Coins that a transaction brought an address; below 0 what it cost. */
function gained(
  address: string,
  { nativeTransaction: tx, internalTransactions = [] }: AddressTransaction,
): bigint {
  const own = {
    from: tx.from,
    to: receiverOf(tx),
    value: tx.value,
    isReverted: tx.txStatus !== '1',
  }
  const moves = [own, ...internalTransactions].filter(({ isReverted }) => !isReverted)
  return moves.reduce(
    (sum, { from, to, value }) =>
      sum +
      (isSame(to.address, address) ? BigInt(value) : 0n) -
      (isSame(from.address, address) ? BigInt(value) : 0n),
    isSame(tx.from.address, address) ? -BigInt(feeOf(tx)) : 0n,
  )
}
