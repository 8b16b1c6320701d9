/** Blocks of the three chains. Source: document A, PrimaryNetworkBlock. */

import { Type, type Static } from '../type.ts'

const seconds = Type.Integer({ description: 'Unix seconds' })
const hash = Type.String({ description: 'cb58' })

/** One block. */
export const PrimaryNetworkBlock = Type.Object(
  {
    blockNumber: Type.String(),
    blockHash: hash,
    parentHash: hash,
    blockTimestamp: seconds,
    blockType: Type.String({ description: 'name of the type in AvalancheGo; X and C: `Standard`' }),
    txCount: Type.Integer(),
    transactions: Type.Array(hash),
    blockSizeBytes: Type.Integer(),
    l1ValidatorsAccruedFees: Type.Optional(
      Type.Integer({ description: 'nAVAX since Etna', 'x-decimals': 9 }),
    ),
    activeL1Validators: Type.Optional(Type.Integer()),
    currentSupply: Type.Optional(
      Type.String({ description: 'nAVAX', pattern: '^[0-9]+$', 'x-decimals': 9 }),
    ),
    proposerDetails: Type.Optional(
      Type.Object(
        {
          proposerId: Type.Optional(hash),
          proposerParentId: Type.Optional(hash),
          proposerNodeId: Type.Optional(Type.String()),
          proposerPChainHeight: Type.Optional(Type.Integer()),
          proposerTimestamp: Type.Optional(seconds),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'PrimaryNetworkBlock', additionalProperties: false },
)
/** Decoded {@link PrimaryNetworkBlock}. */
export type PrimaryNetworkBlock = Static<typeof PrimaryNetworkBlock>
