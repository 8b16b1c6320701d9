/** Metadata of a contract. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { isSpam } from './erc20-token.ts'
import { Money } from './money.ts'
import { address, hash } from './scalars.ts'

/** Where a contract came from. */
const DeploymentDetails = Type.Object(
  {
    txHash: hash('Transaction that created it'),
    deployerAddress: address('Sender of that transaction'),
    deployerContractAddress: Type.Optional(address('Contract that created it, if one did')),
  },
  { $id: 'DeploymentDetails', additionalProperties: false },
)

/** A contract, seen through its token logs and its creation. */
export const ContractMetadata = Type.Object(
  {
    address: address('Contract'),
    ercType: Type.Enum(['ERC-20', 'ERC-721', 'ERC-1155', 'UNKNOWN'], {
      description: 'Standard by the evidence of its logs',
    }),
    name: Type.Optional(Type.String()),
    symbol: Type.Optional(Type.String()),
    price: Type.Optional(Money),
    decimals: Type.Optional(Type.Integer({ description: 'Always there for ERC-20', minimum: 0 })),
    metadataLastUpdatedTimestamp: Type.Optional(
      Type.Integer({
        description: 'Unix seconds at which the contract last told name and decimals',
      }),
    ),
    balancesDiffer: Type.Optional(
      Type.Object(
        {
          blockNumber: Type.String({ description: 'Block at which a balance differed' }),
          reason: Type.String({ description: 'Whose balance, and how' }),
        },
        {
          description:
            'Of an ERC-20 token whose logs do not tell its balances: they are asked of the node',
        },
      ),
    ),
    logoAsset: Type.Optional(Type.Object({ imageUri: Type.Optional(Type.String()) })),
    deploymentDetails: Type.Optional(DeploymentDetails),
    isSpam,
    label: Type.Optional(Type.String({ description: 'What the operator calls the contract' })),
    tokenReputation: Type.Optional(
      Type.Enum(['Malicious', 'Benign'], { description: "The operator's opinion" }),
    ),
  },
  { $id: 'ContractMetadata', additionalProperties: false },
)

/** Decoded {@link ContractMetadata}. */
export type ContractMetadata = Static<typeof ContractMetadata>
