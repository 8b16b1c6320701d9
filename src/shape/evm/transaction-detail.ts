/** One transaction with everything that happened in it. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { InternalTransactionDetails } from './internal-transaction.ts'
import { FullNativeTransaction } from './native-transaction.ts'
import { NetworkTokenDetails } from './network-token.ts'
import {
  Erc1155TransferDetails,
  Erc20TransferDetails,
  Erc721TransferDetails,
} from './token-transfer.ts'

/** The interchain message a transaction sent or, if it sent none, delivered. */
export const TeleporterMessageInfo = Type.Object(
  {
    teleporterMessageId: Type.String({ description: 'Message id, 64 hex digits' }),
    direction: Type.Enum(['SOURCE_TRANSACTION', 'DESTINATION_TRANSACTION'], {
      description: 'Whether it was sent or delivered',
    }),
    sourceChainId: Type.Optional(Type.String({ description: 'Of a delivery: where it was sent' })),
    destinationChainId: Type.Optional(Type.String({ description: 'Of a sending: where it goes' })),
  },
  { $id: 'TeleporterMessageInfo', additionalProperties: false },
)

/** Decoded {@link TeleporterMessageInfo}. */
export type TeleporterMessageInfo = Static<typeof TeleporterMessageInfo>

/** A transaction, its transfers, internal transactions and interchain message. */
export const TransactionDetail = Type.Object(
  {
    erc20Transfers: Type.Array(Erc20TransferDetails),
    erc721Transfers: Type.Array(Erc721TransferDetails),
    erc1155Transfers: Type.Array(Erc1155TransferDetails),
    internalTransactions: Type.Array(InternalTransactionDetails),
    networkTokenDetails: NetworkTokenDetails,
    nativeTransaction: FullNativeTransaction,
    teleporterMessageInfo: Type.Optional(TeleporterMessageInfo),
  },
  { $id: 'TransactionDetail', additionalProperties: false },
)

/** Decoded {@link TransactionDetail}. */
export type TransactionDetail = Static<typeof TransactionDetail>
