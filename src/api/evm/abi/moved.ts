/** Tokens and coins that a transaction moved, of which numbers in its calls and events are amounts. */

import { standardOf } from '../../../codec/evm/columns/columns.ts'
import type { RichAddress } from '../../../shape/evm/token.ts'
import { internalsOfTransaction, type InternalRow } from '../../../store/query/evm/internals.ts'
import type { TransactionRow } from '../../../store/query/evm/transactions.ts'
import { transfersOfTransaction, type TransferRow } from '../../../store/query/evm/transfers.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import type { ChainFacts, ServedChain } from '../../operation/chain-directory.ts'
import { decimalText } from '../answers.ts'
import type { RichAddressBook } from '../rich-addresses.ts'
import { type Moved, unitOf } from './amounts.ts'

/** Rows of one transaction. */
type MovingRows = {
  readonly transfers: readonly Pick<TransferRow, 'kind' | 'tokenId' | 'value'>[]
  readonly internals: readonly Pick<InternalRow, 'reverted' | 'value'>[]
  /** `0x` hex, sent along. */
  readonly value: string
}

/** Tokens and coins of rows; of as many tokens as coins the tokens, of as many of two tokens neither. `rich` has the tokens of the transfers. */
export function movedIn(
  { symbol, decimals }: Pick<ChainFacts, 'symbol' | 'decimals'>,
  { transfers, internals, value }: MovingRows,
  rich: (tokenId: number) => RichAddress,
): Moved {
  const coin = { symbol, decimals }
  const coins = [value, ...internals.flatMap((one) => (one.reverted ? [] : one.value))]
  const tokenOf = new Map<string, number | undefined>()
  for (const { kind, tokenId, value: units } of transfers) {
    if (standardOf(kind) !== 20) continue
    const digits = decimalText(units)
    const isOfOne = !tokenOf.has(digits) || tokenOf.get(digits) === tokenId
    tokenOf.set(digits, isOfOne ? tokenId : undefined)
  }
  return new Map([
    ...coins.map((units) => [decimalText(units), coin] as const),
    ...[...tokenOf].map(
      ([digits, id]) => [digits, id === undefined ? id : unitOf(rich(id))] as const,
    ),
  ])
}

/**
 * {@link movedIn} of a transaction; nothing of one with more than `most` transfers or internal transactions. Cost: two
 * questions.
 */
export async function movedBy(
  { store, facts }: Pick<ServedChain, 'store' | 'facts'>,
  book: Pick<RichAddressBook, 'load'>,
  {
    pos,
    value,
    most = placesPerBlock,
  }: Pick<TransactionRow, 'pos' | 'value'> & { readonly most?: number },
): Promise<Moved> {
  const [transfers, internals] = await Promise.all([
    transfersOfTransaction(store, pos, most + 1),
    internalsOfTransaction(store, pos, most + 1),
  ])
  if (transfers.length > most || internals.length > most) return new Map()
  const named = await book.load(transfers.map(({ tokenId }) => tokenId))
  return movedIn(facts, { transfers, internals, value }, (id) => named(id).rich)
}
