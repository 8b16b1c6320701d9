/** Blocks, transactions and internal transactions. */

import { Type, type Static } from '../type.ts'
import { Decoded } from './log.ts'
import { amount, decimal, hash, address, hex } from './scalars.ts'
import {
  Erc20TransferDetails,
  Erc20TransferDetailsV2,
  Erc721TransferDetails,
  Erc1155TransferDetails,
} from './token-transfer.ts'
import { RichAddress, blockFields, placementFields, NetworkTokenDetails } from './token.ts'

/** A block without its transactions. */
export const EvmBlock = Type.Object(
  {
    chainId: decimal('EVM chain id'),
    blockNumber: decimal('Height'),
    blockTimestamp: Type.Integer({ description: 'Unix seconds' }),
    blockTimestampMilliseconds: Type.Optional(
      Type.Integer({ description: 'Unix milliseconds; only where the header has them' }),
    ),
    blockMinDelayExcess: Type.Optional(
      Type.Integer({ description: 'Header field of ACP-226; only where the header has it' }),
    ),
    blockHash: hash('Hash'),
    txCount: Type.Integer({ description: 'Transactions in the block', minimum: 0 }),
    baseFee: amount('Base fee per gas, wei; 0 where the header has none', 18),
    gasUsed: decimal('Gas used'),
    gasLimit: decimal('Gas allowed'),
    gasCost: decimal('Block gas cost of the header; 0 where it has none'),
    parentHash: hash('Hash of the block before'),
    feesSpent: amount('Sum of gas used times gas price, wei', 18),
    cumulativeTransactions: decimal('Transactions of the chain up to and with this block'),
  },
  { $id: 'EvmBlock', additionalProperties: false },
)
/** Decoded {@link EvmBlock}. */
export type EvmBlock = Static<typeof EvmBlock>

/** The method that a transaction calls. */
export const Method = Type.Object(
  {
    callType: Type.Enum(['NATIVE_TRANSFER', 'CONTRACT_CALL', 'CONTRACT_CREATION'], {
      description: 'Effect of the transaction',
    }),
    methodHash: Type.String({
      description: 'First four bytes of the input of a CONTRACT_CALL, else empty',
      pattern: '^(0x([0-9a-f]{2}){1,4})?$',
    }),
    methodName: Type.Optional(
      Type.String({ description: 'Signature with types; absent when the selector is unknown' }),
    ),
  },
  { $id: 'Method', additionalProperties: false },
)
/** Decoded {@link Method}. */
export type Method = Static<typeof Method>

const fields = {
  ...blockFields,
  blockMinDelayExcess: Type.Optional(
    Type.Integer({ description: 'Header field of ACP-226; only where the header has it' }),
  ),
  chainId: decimal('EVM chain id, also when the path named a blockchain id'),
  blockIndex: Type.Integer({ description: 'Place in the block', minimum: 0 }),
  txHash: hash('Hash of the transaction'),
  txStatus: Type.Enum(['0', '1'], { description: '1 success, 0 failed' }),
  txType: Type.Integer({ description: 'EIP-2718 type', minimum: 0 }),
  gasLimit: decimal('Gas allowed'),
  gasUsed: decimal('Gas used'),
  gasPrice: amount('Effective price of a unit of gas, wei', 18),
  nonce: decimal('Nonce of the sender'),
  from: RichAddress,
  to: RichAddress,
  createdContract: Type.Optional(
    address('Of a CONTRACT_CREATION that succeeded: the contract it made'),
  ),
  method: Type.Optional(Method),
  value: amount('Coins moved, wei', 18),
}

/** A transaction in a list. */
export const NativeTransaction = Type.Object(fields, {
  $id: 'NativeTransaction',
  additionalProperties: false,
})
/** Decoded {@link NativeTransaction}. */
export type NativeTransaction = Static<typeof NativeTransaction>

/** Why a transaction failed. */
const TransactionRevertReason = Type.Object(
  {
    message: Type.String({
      description:
        'the text it reverted with, its error with arguments, or what the panic code means',
    }),
    source: Type.Enum(['trace', 'replay'], {
      description:
        '`replay`: a node tried it again on the state before its block, where earlier transactions of the block are missing',
    }),
    data: Type.Optional(Type.String({ description: 'bytes it reverted with, 0x hex' })),
    decoded: Type.Optional(Decoded),
  },
  { $id: 'RevertReason', additionalProperties: false },
)
/** Decoded {@link RevertReason}. */
export type TransactionRevertReason = Static<typeof TransactionRevertReason>

/** A transaction alone, with its input and fee fields. */
export const FullNativeTransaction = Type.Object(
  {
    ...fields,
    input: hex('Input data'),
    decodedInput: Type.Optional(Decoded),
    revertReason: Type.Optional(TransactionRevertReason),
    baseFeePerGas: decimal('Base fee of the block, wei; 0 where the header has none'),
    maxFeePerGas: Type.Optional(decimal('Wei; only of dynamic-fee transactions')),
    maxPriorityFeePerGas: Type.Optional(decimal('Wei; only of dynamic-fee transactions')),
  },
  { $id: 'FullNativeTransaction', additionalProperties: false },
)
/** Decoded {@link FullNativeTransaction}. */
export type FullNativeTransaction = Static<typeof FullNativeTransaction>

/** Kinds the clients know. Only CALL, CALLCODE and the creations are listed. */
const internalTxTypes = [
  'UNKNOWN',
  'CALL',
  'CREATE',
  'CREATE2',
  'CREATE3',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
] as const

const frame = {
  from: RichAddress,
  to: RichAddress,
  internalTxType: Type.Enum([...internalTxTypes], { description: 'Kind of the call' }),
  value: amount('Coins moved, wei', 18),
  isReverted: Type.Boolean({ description: 'Whether the call, or one around it, was undone' }),
  gasUsed: decimal('Gas used by the call and those inside it'),
  gasLimit: decimal('Gas the call was given'),
}

/** Internal transaction inside a transaction. */
export const InternalTransactionDetails = Type.Object(frame, {
  $id: 'InternalTransactionDetails',
  additionalProperties: false,
})
/** Decoded {@link InternalTransactionDetails}. */
export type InternalTransactionDetails = Static<typeof InternalTransactionDetails>

/** Internal transaction with its place. */
export const InternalTransaction = Type.Object(
  { ...placementFields, ...frame },
  { $id: 'InternalTransaction', additionalProperties: false },
)
/** Decoded {@link InternalTransaction}. */
export type InternalTransaction = Static<typeof InternalTransaction>

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
