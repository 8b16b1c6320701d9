/** Native transactions, short and whole. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { Decoded } from './decoded.ts'
import { Party } from './party.ts'
import { blockFields } from './placement.ts'
import { address, amount, decimal, hash, hex } from './scalars.ts'

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
  from: Party,
  to: Party,
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
const RevertReason = Type.Object(
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
export type RevertReason = Static<typeof RevertReason>

/** A transaction alone, with its input and fee fields. */
export const FullNativeTransaction = Type.Object(
  {
    ...fields,
    input: hex('Input data'),
    decodedInput: Type.Optional(Decoded),
    revertReason: Type.Optional(RevertReason),
    baseFeePerGas: decimal('Base fee of the block, wei; 0 where the header has none'),
    maxFeePerGas: Type.Optional(decimal('Wei; only of dynamic-fee transactions')),
    maxPriorityFeePerGas: Type.Optional(decimal('Wei; only of dynamic-fee transactions')),
  },
  { $id: 'FullNativeTransaction', additionalProperties: false },
)
/** Decoded {@link FullNativeTransaction}. */
export type FullNativeTransaction = Static<typeof FullNativeTransaction>
