/** Blocks of an EVM chain. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { amount, decimal, hash } from './scalars.ts'

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
