/** Blocks, transactions and internal transactions. */

import { Type, type Static, Optional } from '../type.ts'
import { Decoded } from './log.ts'
import { amount, decimal, hash, address, hex } from './scalars.ts'
import {
  Erc20TransferDetails,
  Erc20TransferDetailsV2,
  Erc721TransferDetails,
  Erc1155TransferDetails,
} from './token-transfer.ts'
import { RichAddress, blockFields, label, placementFields, NetworkTokenDetails } from './token.ts'

/** A block without its transactions. */
export const EvmBlock = Type.Component('EvmBlock', 'A block without its transactions', {
  chainId: decimal('EVM chain id'),
  blockNumber: decimal('Height'),
  blockTimestamp: Type.Integer('Unix seconds'),
  blockTimestampMilliseconds: Optional.Integer('Unix milliseconds; only where the header has them'),
  blockMinDelayExcess: Optional.Integer('Header field of ACP-226; only where the header has it'),
  blockHash: hash('Hash'),
  txCount: Type.Integer('Transactions in the block', { minimum: 0 }),
  baseFee: amount('Base fee per gas, wei; 0 where the header has none', 18),
  gasUsed: decimal('Gas used'),
  gasLimit: decimal('Gas allowed'),
  gasCost: decimal('Block gas cost of the header; 0 where it has none'),
  parentHash: hash('Hash of the block before'),
  feesSpent: amount('Sum of gas used times gas price, wei', 18),
  cumulativeTransactions: decimal('Transactions of the chain up to and with this block'),
})
/** Decoded {@link EvmBlock}. */
export type EvmBlock = Static<typeof EvmBlock>

/** The method that a transaction calls. */
export const Method = Type.Component('Method', 'The method that the transaction calls', {
  callType: Type.Enum(
    ['NATIVE_TRANSFER', 'CONTRACT_CALL', 'CONTRACT_CREATION'],
    'Effect of the transaction',
  ),
  methodHash: Type.String('First four bytes of the input of a CONTRACT_CALL, else empty', {
    pattern: '^(0x([0-9a-f]{2}){1,4})?$',
  }),
  methodName: Optional.String('Signature with types; absent when the selector is unknown'),
})
/** Decoded {@link Method}. */
export type Method = Static<typeof Method>

const fields = {
  ...blockFields,
  blockMinDelayExcess: Optional.Integer('Header field of ACP-226; only where the header has it'),
  chainId: decimal('EVM chain id, also when the path named a blockchain id'),
  blockIndex: Type.Integer('Place in the block', { minimum: 0 }),
  txHash: hash('Hash of the transaction'),
  txStatus: Type.Enum(['0', '1'], '1 success, 0 failed'),
  txType: Type.Integer('EIP-2718 type', { minimum: 0 }),
  gasLimit: decimal('Gas allowed'),
  gasUsed: decimal('Gas used'),
  gasPrice: amount('Effective price of a unit of gas, wei', 18),
  nonce: decimal('Nonce of the sender'),
  from: RichAddress,
  to: RichAddress,
  createdContract: Type.Optional(
    address('Of a CONTRACT_CREATION that succeeded: the contract it made'),
  ),
  createdContractLabel: label,
  method: Type.Optional(Method),
  value: amount('Coins moved, wei', 18),
}

/** A piece of a sentence: words, an address, an amount, an NFT or a chain. */
export const SummaryPart = Type.Component('SummaryPart', 'Words, or something they are about', {
  text: Type.String('As it stands in the sentence'),
  address: Type.Optional(address('Of an address')),
  label,
  value: Optional.String('Of an amount: smallest units, base 10'),
  decimals: Optional.Union(
    [Type.Integer({ minimum: 0 }), Type.Null()],
    'Of an amount; null where not known',
  ),
  symbol: Optional.String('Of an amount: its coin or token'),
  tokenAddress: Type.Optional(address('Of an amount of a token, or of an NFT: its contract')),
  tokenId: Type.Optional(decimal('Of an NFT')),
  chainId: Optional.String('EVM chain id of a chain, or of the other chain that an address is on'),
})
/** Decoded {@link SummaryPart}. */
export type SummaryPart = Static<typeof SummaryPart>

/** A transaction told in a sentence. */
export const TransactionSummary = Type.Component(
  'TransactionSummary',
  'What the transaction did, in a sentence without a full stop',
  {
    text: Type.String('The sentence'),
    parts: Type.Array(SummaryPart, 'Its pieces, whose texts make the sentence'),
  },
)
/** Decoded {@link TransactionSummary}. */
export type TransactionSummary = Static<typeof TransactionSummary>

/** A transaction in a list. */
export const NativeTransaction = Type.Component(
  'NativeTransaction',
  'A transaction as lists have it',
  { ...fields, summary: Type.Optional(TransactionSummary) },
)
/** Decoded {@link NativeTransaction}. */
export type NativeTransaction = Static<typeof NativeTransaction>

/** Why a transaction failed. */
const TransactionRevertReason = Type.Component('RevertReason', 'Why the transaction failed', {
  message: Type.String(
    'the text it reverted with, its error with arguments, or what the panic code means',
  ),
  source: Type.Enum(
    ['trace', 'replay'],
    '`replay`: a node tried it again on the state before its block, where earlier transactions of the block are missing',
  ),
  data: Optional.String('bytes it reverted with, 0x hex'),
  decoded: Type.Optional(Decoded),
})
/** Decoded {@link RevertReason}. */
export type TransactionRevertReason = Static<typeof TransactionRevertReason>

/** A transaction alone, with its input and fee fields. */
export const FullNativeTransaction = Type.Component(
  'FullNativeTransaction',
  'A transaction with its input and its fees',
  {
    ...fields,
    input: hex('Input data'),
    decodedInput: Type.Optional(Decoded),
    revertReason: Type.Optional(TransactionRevertReason),
    baseFeePerGas: decimal('Base fee of the block, wei; 0 where the header has none'),
    maxFeePerGas: Type.Optional(decimal('Wei; only of dynamic-fee transactions')),
    maxPriorityFeePerGas: Type.Optional(decimal('Wei; only of dynamic-fee transactions')),
    authorizations: Optional.Array(
      Type.Object({
        authority: Type.Optional(address('Account that signed it; absent where nobody did')),
        authorityLabel: label,
        address: address('Contract that the account delegates to; zero: to none from now on'),
        label,
        chainId: decimal('EVM chain id; 0: on every chain'),
        nonce: decimal('Nonce that the account must have, or it has no effect'),
      }),
      'Delegations that a transaction of type 4 carries; absent also where no node gives them',
    ),
  },
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
  internalTxType: Type.Enum(internalTxTypes, 'Kind of the call'),
  value: amount('Coins moved, wei', 18),
  isReverted: Type.Boolean('Whether the call, or one around it, was undone'),
  gasUsed: decimal('Gas used by the call and those inside it'),
  gasLimit: decimal('Gas the call was given'),
}

/** Internal transaction inside a transaction. */
export const InternalTransactionDetails = Type.Component(
  'InternalTransactionDetails',
  'A call inside the transaction',
  frame,
)
/** Decoded {@link InternalTransactionDetails}. */
export type InternalTransactionDetails = Static<typeof InternalTransactionDetails>

/** Internal transaction with its place. */
export const InternalTransaction = Type.Component(
  'InternalTransaction',
  'A call inside a transaction, with its place',
  { ...placementFields, ...frame },
)
/** Decoded {@link InternalTransaction}. */
export type InternalTransaction = Static<typeof InternalTransaction>

const others = {
  erc721Transfers: Optional.Array(Erc721TransferDetails, 'ERC-721 transfers'),
  erc1155Transfers: Optional.Array(Erc1155TransferDetails, 'ERC-1155 transfers'),
  internalTransactions: Optional.Array(
    InternalTransactionDetails,
    'Calls that moved coins, and creations',
  ),
}

/** One transaction; its lists hold only entries that touch the address, and none is empty. */
export const AddressTransaction = Type.Component(
  'AddressTransaction',
  'A transaction with what touched the address; no list is empty',
  {
    nativeTransaction: NativeTransaction,
    erc20Transfers: Optional.Array(Erc20TransferDetails, 'ERC-20 transfers'),
    ...others,
  },
)

/** Decoded {@link AddressTransaction}. */
export type AddressTransaction = Static<typeof AddressTransaction>

/** One transaction as version 2 shows it: its ERC-20 tokens carry their reputation. */
export const AddressTransactionV2 = Type.Component(
  'AddressTransactionV2',
  'The same with the reputation of tokens',
  {
    nativeTransaction: NativeTransaction,
    erc20Transfers: Optional.Array(Erc20TransferDetailsV2, 'ERC-20 transfers'),
    ...others,
  },
)

/** Decoded {@link AddressTransactionV2}. */
export type AddressTransactionV2 = Static<typeof AddressTransactionV2>

/** The interchain message a transaction sent or, if it sent none, delivered. */
export const TeleporterMessageInfo = Type.Component(
  'TeleporterMessageInfo',
  'The message that the transaction sent or, if it sent none, delivered',
  {
    teleporterMessageId: Type.String('Message id, 64 hex digits'),
    direction: Type.Enum(
      ['SOURCE_TRANSACTION', 'DESTINATION_TRANSACTION'],
      'Whether it was sent or delivered',
    ),
    sourceChainId: Optional.String('Of a delivery: where it was sent', { examples: ['51001'] }),
    destinationChainId: Optional.String('Of a sending: where it goes'),
  },
)

/** Decoded {@link TeleporterMessageInfo}. */
export type TeleporterMessageInfo = Static<typeof TeleporterMessageInfo>

/** A transaction, its transfers, internal transactions and interchain message. */
export const TransactionDetail = Type.Component(
  'TransactionDetail',
  'A transaction with everything that happened in it',
  {
    erc20Transfers: Type.Array(Erc20TransferDetails, 'ERC-20 transfers'),
    erc721Transfers: Type.Array(Erc721TransferDetails, 'ERC-721 transfers'),
    erc1155Transfers: Type.Array(Erc1155TransferDetails, 'ERC-1155 transfers'),
    internalTransactions: Type.Array(
      InternalTransactionDetails,
      'Calls that moved coins, and creations',
    ),
    networkTokenDetails: NetworkTokenDetails,
    nativeTransaction: FullNativeTransaction,
    teleporterMessageInfo: Type.Optional(TeleporterMessageInfo),
    summary: TransactionSummary,
  },
)

/** Decoded {@link TransactionDetail}. */
export type TransactionDetail = Static<typeof TransactionDetail>
