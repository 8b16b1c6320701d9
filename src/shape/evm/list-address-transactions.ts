/** Transactions an address took part in, with what touched it. */

import type { Static } from 'typebox'

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { InternalTransactionDetails } from './internal-transaction.ts'
import { NativeTransaction } from './native-transaction.ts'
import { ChainAddressPath } from './path.ts'
import { blockRange, pageSize, pageToken, sortOrder } from './query.ts'
import {
  Erc1155TransferDetails,
  Erc20TransferDetails,
  Erc20TransferDetailsV2,
  Erc721TransferDetails,
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

const list = { ...blockRange, sortOrder, pageToken, pageSize }

/** Transactions an address sent, received, or in which tokens or coins moved to or from it. */
export const ListAddressTransactions = {
  id: 'listTransactions',
  method: 'GET',
  path: '/v1/chains/{chainId}/addresses/{address}/transactions',
  summary: 'Transactions an address took part in',
  tag: 'EVM transactions',
  weight: 20,
  parameters: { path: ChainAddressPath, query: Type.Object(list) },
  response: Type.Object({ nextPageToken, transactions: Type.Array(AddressTransaction) }),
} as const

/** The same with the reputation of tokens; transfers of spam tokens can be left out. */
export const ListAddressTransactionsV2 = {
  id: 'listTransactionsV2',
  method: 'GET',
  path: '/v2/chains/{chainId}/addresses/{address}/transactions',
  summary: 'Transactions an address took part in, with token reputation',
  tag: 'EVM transactions',
  weight: 20,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({
      ...list,
      filterSpamTokens: Type.Optional(
        Type.Boolean({
          default: true,
          description: 'Leave transfers of tokens out that look like spam',
        }),
      ),
    }),
  },
  response: Type.Object({ nextPageToken, transactions: Type.Array(AddressTransactionV2) }),
} as const
