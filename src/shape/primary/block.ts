/** Blocks of the three chains. Source: document A, PrimaryNetworkBlock. */

import { Type, type Static, Optional } from '../type.ts'
import { seconds, cb58 } from './scalars.ts'

/** One block. */
export const PrimaryNetworkBlock = Type.Component(
  'PrimaryNetworkBlock',
  'A block of the P-, X- or C-Chain',
  {
    blockNumber: Type.String('Height of the block'),
    blockHash: cb58,
    parentHash: cb58,
    blockTimestamp: seconds,
    blockType: Type.String('name of the type in AvalancheGo; X and C: `Standard`'),
    txCount: Type.Integer('Transactions'),
    transactions: Type.Array(cb58),
    blockSizeBytes: Type.Integer('Size of the block, bytes'),
    l1ValidatorsAccruedFees: Optional.Integer('nAVAX since Etna', { 'x-decimals': 9 }),
    activeL1Validators: Optional.Integer('L1 validators with a balance then'),
    currentSupply: Optional.String('nAVAX', { pattern: '^[0-9]+$', 'x-decimals': 9 }),
    proposerDetails: Optional.Object(
      {
        proposerId: Type.Optional(cb58),
        proposerParentId: Type.Optional(cb58),
        proposerNodeId: Optional.String('Node that proposed it'),
        proposerPChainHeight: Optional.Integer('P-Chain height the proposer named'),
        proposerTimestamp: Type.Optional(seconds),
      },
      { additionalProperties: false, description: 'Who proposed the block' },
    ),
  },
)
/** Decoded {@link PrimaryNetworkBlock}. */
export type PrimaryNetworkBlock = Static<typeof PrimaryNetworkBlock>
