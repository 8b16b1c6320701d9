/** Subnets, their chains and what their genesis says. */

import { Type, type Static, type ObjectSchema, type OptionalSchema } from '../type.ts'
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from './asset.ts'

// Genesis of an EVM chain as its creation transaction holds it. Source: document A, GenesisData.
//
// Keys beyond the known ones pass. A genesis whose known keys cannot be brought to these types,
// or that is not JSON, is given as text.

const text = Type.Optional(Type.String())
const integer = Type.Optional(Type.Integer())
const integers = <const K extends readonly string[]>(
  ...names: K
): Record<K[number], OptionalSchema<number>> => {
  const entries = names.map((name) => [name, Type.Optional(Type.Integer())])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys come from names
  return Object.fromEntries(entries) as Record<K[number], OptionalSchema<number>>
}
const addressList = Type.Optional(Type.Array(Type.String()))

const AllowList: ObjectSchema = Type.Object({
  blockTimestamp: integer,
  adminAddresses: addressList,
  managerAddresses: addressList,
  enabledAddresses: addressList,
})

/** Names of the lists of allowed addresses in a configuration. */
export const allowListNames = [
  'txAllowListConfig',
  'contractDeployerAllowListConfig',
  'contractNativeMinterConfig',
  'feeManagerConfig',
  'rewardManagerConfig',
] as const

/** Configuration keys that are integers. */
export const configIntegers = [
  'berlinBlock',
  'byzantiumBlock',
  'constantinopleBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'homesteadBlock',
  'istanbulBlock',
  'londonBlock',
  'muirGlacierBlock',
  'petersburgBlock',
  'chainId',
  'subnetEVMTimestamp',
] as const

/** Keys of `feeConfig`. */
export const feeConfigIntegers = [
  'baseFeeChangeDenominator',
  'blockGasCostStep',
  'gasLimit',
  'maxBlockGasCost',
  'minBaseFee',
  'minBlockGasCost',
  'targetBlockRate',
  'targetGas',
] as const

/** Genesis of an EVM chain. */
const EvmGenesis = Type.Object(
  {
    airdropAmount: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    airdropHash: text,
    alloc: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          balance: text,
          code: text,
          storage: Type.Optional(Type.Record(Type.String(), Type.String())),
        }),
      ),
    ),
    baseFeePerGas: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    blobGasUsed: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    coinbase: text,
    config: Type.Optional(
      Type.Object({
        ...integers(...configIntegers),
        eip150Hash: text,
        allowFeeRecipients: Type.Optional(Type.Boolean()),
        feeConfig: Type.Optional(Type.Object(integers(...feeConfigIntegers))),
        warpConfig: Type.Optional(
          Type.Object({
            blockTimestamp: integer,
            quorumNumerator: integer,
            requirePrimaryNetworkSigners: Type.Optional(Type.Boolean()),
          }),
        ),
        txAllowListConfig: Type.Optional(AllowList),
        contractDeployerAllowListConfig: Type.Optional(AllowList),
        contractNativeMinterConfig: Type.Optional(AllowList),
        feeManagerConfig: Type.Optional(AllowList),
        rewardManagerConfig: Type.Optional(AllowList),
      }),
    ),
    difficulty: text,
    excessBlobGas: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    extraData: text,
    gasLimit: text,
    gasUsed: text,
    mixHash: text,
    nonce: text,
    number: text,
    parentHash: text,
    timestamp: text,
  },
  { $id: 'EvmGenesis' },
)

/** Genesis of a chain: an object for EVM chains, text where it cannot be one. */
export const GenesisData = Type.Union([EvmGenesis, Type.String()], {
  description: 'EVM genesis; text when it does not fit the known types',
})
/** Decoded {@link GenesisData}. */
export type GenesisData = Static<typeof GenesisData>

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
