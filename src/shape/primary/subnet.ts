/** Subnets and their chains. Source: document A, Subnet and Blockchain. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { GenesisData } from './genesis-data.ts'
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from './owners.ts'

const seconds = Type.Integer({ description: 'Unix seconds' })
const hash = Type.String({ description: 'cb58' })

/** One chain. */
export const Blockchain = Type.Object(
  {
    createBlockTimestamp: seconds,
    createBlockNumber: Type.String({ description: '-1 for the P-Chain itself' }),
    blockchainId: hash,
    vmId: hash,
    subnetId: hash,
    blockchainName: Type.String(),
    evmChainId: Type.Optional(Type.Integer()),
    genesisData: Type.Optional(GenesisData),
  },
  { $id: 'Blockchain', additionalProperties: false },
)
/** Decoded {@link Blockchain}. */
export type Blockchain = Static<typeof Blockchain>

/** One subnet. */
export const Subnet = Type.Object(
  {
    createBlockTimestamp: seconds,
    createBlockIndex: Type.String(),
    subnetId: hash,
    ownerAddresses: Type.Array(Type.String()),
    threshold: Type.Integer(),
    locktime: seconds,
    subnetOwnershipInfo: SubnetOwnershipInfo,
    isL1: Type.Boolean(),
    l1ConversionTransactionHash: Type.Optional(hash),
    l1ValidatorManagerDetails: Type.Optional(L1ValidatorManagerDetails),
    blockchains: Type.Array(Blockchain),
  },
  { $id: 'Subnet', additionalProperties: false },
)
/** Decoded {@link Subnet}. */
export type Subnet = Static<typeof Subnet>
