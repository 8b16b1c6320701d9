/** Metadata of a contract. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
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
    decimals: Type.Optional(Type.Integer({ description: 'Always there for ERC-20', minimum: 0 })),
    logoAsset: Type.Optional(Type.Object({ imageUri: Type.Optional(Type.String()) })),
    deploymentDetails: Type.Optional(DeploymentDetails),
  },
  { $id: 'ContractMetadata', additionalProperties: false },
)

/** Decoded {@link ContractMetadata}. */
export type ContractMetadata = Static<typeof ContractMetadata>
