/** Subnets, their chains and what their genesis says. */

import { addressExample, hashExample } from '../evm/scalars.ts'
import { Type, type Static, type ObjectSchema, type OptionalSchema, Optional } from '../type.ts'
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from './asset.ts'
import { seconds, cb58 } from './scalars.ts'

// Genesis of an EVM chain as its creation transaction holds it. Source: document A, GenesisData.
//
// Keys beyond the known ones pass. A genesis whose known keys cannot be brought to these types,
// or that is not JSON, is given as text.

const text = (description: string, example = '0x'): OptionalSchema<string> =>
  Optional.String({ description, examples: [example] })
const integer = (description: string): OptionalSchema<number> =>
  Optional.Integer({ description, examples: [0] })
const integers = <const T extends Readonly<Record<string, string>>>(
  descriptions: T,
): Record<keyof T, OptionalSchema<number>> => {
  const entries = Object.entries(descriptions).map(([name, words]) => [name, integer(words)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys come from the descriptions
  return Object.fromEntries(entries) as Record<keyof T, OptionalSchema<number>>
}
const addressList = (description: string): OptionalSchema<string[]> =>
  Optional.Array(Type.String(), { description, examples: [[addressExample]] })

const allowList = (description: string): OptionalSchema<Record<string, unknown>> => {
  const schema: ObjectSchema = Type.Object(
    {
      blockTimestamp: integer('Unix seconds'),
      adminAddresses: addressList('Addresses that may use it and change all lists'),
      managerAddresses: addressList('Addresses that may use it and change who is enabled'),
      enabledAddresses: addressList('Addresses that may use it'),
    },
    description,
  )
  return Type.Optional(schema)
}

/** Names of the lists of allowed addresses in a configuration. */
export const allowListNames = [
  'txAllowListConfig',
  'contractDeployerAllowListConfig',
  'contractNativeMinterConfig',
  'feeManagerConfig',
  'rewardManagerConfig',
] as const

/** Configuration keys that are integers, and their meanings. */
export const configIntegers = {
  berlinBlock: 'Height from which Berlin is active',
  byzantiumBlock: 'Height from which Byzantium is active',
  constantinopleBlock: 'Height from which Constantinople is active',
  eip150Block: 'Height from which EIP-150 is active',
  eip155Block: 'Height from which EIP-155 is active',
  eip158Block: 'Height from which EIP-158 is active',
  homesteadBlock: 'Height from which Homestead is active',
  istanbulBlock: 'Height from which Istanbul is active',
  londonBlock: 'Height from which London is active',
  muirGlacierBlock: 'Height from which Muir Glacier is active',
  petersburgBlock: 'Height from which Petersburg is active',
  chainId: 'EVM chain id',
  subnetEVMTimestamp: 'Unix seconds from which Subnet-EVM is active',
} as const

/** Keys of `feeConfig`, and their meanings. */
export const feeConfigIntegers = {
  baseFeeChangeDenominator: 'Bound on the change of the base fee from block to block',
  blockGasCostStep: 'Change of the block gas cost for each second off the rate',
  gasLimit: 'Gas allowed',
  maxBlockGasCost: 'Most block gas cost',
  minBaseFee: 'Least base fee, wei',
  minBlockGasCost: 'Least block gas cost',
  targetBlockRate: 'Seconds between blocks aimed at',
  targetGas: 'Gas in ten seconds aimed at',
} as const

/** Genesis of an EVM chain. */
const EvmGenesis = Type.Object(
  {
    airdropAmount: Optional.Union(
      [Type.Number(), Type.Null()],
      'Coins of an airdrop for each address',
      { examples: [null] },
    ),
    airdropHash: text('Hash of an airdrop', hashExample),
    alloc: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          balance: text('Balance, 0x hex'),
          code: text('Code, 0x hex'),
          storage: Type.Optional(Type.Record(Type.String(), Type.String(), 'Storage by slot')),
        }),
        'Accounts of the genesis by address',
      ),
    ),
    baseFeePerGas: Optional.Union([Type.Number(), Type.Null()], 'Base fee, wei', {
      examples: [null],
    }),
    blobGasUsed: Optional.Union([Type.String(), Type.Null()], 'Blob gas', { examples: [null] }),
    coinbase: text('Recipient of fees'),
    config: Optional.Object(
      {
        ...integers(configIntegers),
        eip150Hash: text('Hash of the block of EIP-150', hashExample),
        allowFeeRecipients: Optional.Boolean('Whether block builders are paid the fees'),
        feeConfig: Optional.Object(integers(feeConfigIntegers), 'How fees move'),
        warpConfig: Optional.Object(
          {
            blockTimestamp: integer('Unix seconds'),
            quorumNumerator: integer('Percent of the weight that must sign'),
            requirePrimaryNetworkSigners: Optional.Boolean(
              'Whether validators of the primary network must sign',
            ),
          },
          'Rules of Warp messages',
        ),
        txAllowListConfig: allowList('Who may send transactions'),
        contractDeployerAllowListConfig: allowList('Who may deploy contracts'),
        contractNativeMinterConfig: allowList('Who may mint coins'),
        feeManagerConfig: allowList('Who may change fees'),
        rewardManagerConfig: allowList('Who may change where fees go'),
      },
      'Rules of the chain',
    ),
    difficulty: text('Difficulty'),
    excessBlobGas: Optional.Union([Type.String(), Type.Null()], 'Blob gas above the target', {
      examples: [null],
    }),
    extraData: text('Extra bytes of the header'),
    gasLimit: text('Gas allowed'),
    gasUsed: text('Gas used'),
    mixHash: text('Mix hash of the header'),
    nonce: text('Nonce of the header'),
    number: text('Height'),
    parentHash: text('Hash of the block before'),
    timestamp: text('Unix seconds'),
  },
  { $id: 'EvmGenesis', description: 'Genesis of an EVM chain' },
)

/** Genesis of a chain: an object for EVM chains, text where it cannot be one. */
export const GenesisData = Type.Union(
  [EvmGenesis, Type.String()],
  'EVM genesis; text when it does not fit the known types',
)
/** Decoded {@link GenesisData}. */
export type GenesisData = Static<typeof GenesisData>

/** One chain. */
export const Blockchain = Type.Component('Blockchain', 'A blockchain of the network', {
  createBlockTimestamp: seconds,
  createBlockNumber: Type.String('-1 for the P-Chain itself'),
  blockchainId: cb58,
  vmId: cb58,
  subnetId: cb58,
  blockchainName: Type.String('Name of the blockchain'),
  evmChainId: Optional.Integer('EVM chain id'),
  genesisData: Type.Optional(GenesisData),
})
/** Decoded {@link Blockchain}. */
export type Blockchain = Static<typeof Blockchain>

/** One subnet. */
export const Subnet = Type.Component('Subnet', 'A subnet, or the L1 that it became', {
  createBlockTimestamp: seconds,
  createBlockIndex: Type.String('Height of the block that made it'),
  subnetId: cb58,
  ownerAddresses: Type.Array(Type.String(), 'Owners, bech32'),
  threshold: Type.Integer('Signatures needed'),
  locktime: seconds,
  subnetOwnershipInfo: SubnetOwnershipInfo,
  isL1: Type.Boolean('Whether it became an L1'),
  l1ConversionTransactionHash: Type.Optional(cb58),
  l1ValidatorManagerDetails: Type.Optional(L1ValidatorManagerDetails),
  blockchains: Type.Array(Blockchain),
})
/** Decoded {@link Subnet}. */
export type Subnet = Static<typeof Subnet>
