/** Transactions an address took part in, with what touched it. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { InternalTransactionDetails } from './internal-transaction.ts'
import { NativeTransaction } from './native-transaction.ts'
import {
  Erc20TransferDetails,
  Erc20TransferDetailsV2,
  Erc721TransferDetails,
  Erc1155TransferDetails,
} from './token-transfer.ts'

const others = {
  erc721Transfers: Type.Optional(Type.Array(Erc721TransferDetails)),
  erc1155Transfers: Type.Optional(Type.Array(Erc1155TransferDetails)),
  internalTransactions: Type.Optional(Type.Array(InternalTransactionDetails)),
}

/** One transaction; its lists hold only entries that touch the address, and none is empty. */
export const AddressTransaction = Type.Object(
  {
    nativeTransaction: NativeTransaction,
    erc20Transfers: Type.Optional(Type.Array(Erc20TransferDetails)),
    ...others,
  },
  { $id: 'AddressTransaction', additionalProperties: false },
)

/** Decoded {@link AddressTransaction}. */
export type AddressTransaction = Static<typeof AddressTransaction>

/** One transaction as version 2 shows it: its ERC-20 tokens carry their reputation. */
export const AddressTransactionV2 = Type.Object(
  {
    nativeTransaction: NativeTransaction,
    erc20Transfers: Type.Optional(Type.Array(Erc20TransferDetailsV2)),
    ...others,
  },
  { $id: 'AddressTransactionV2', additionalProperties: false },
)

/** Decoded {@link AddressTransactionV2}. */
export type AddressTransactionV2 = Static<typeof AddressTransactionV2>
