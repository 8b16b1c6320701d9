/**
 * Transactions of the three chains. Source: document A, PrimaryNetworkTransaction; the names used
 * by the official clients for the X- and C-Chain stand beside the document's.
 */

import { transactionNames } from '../../core/type-ids.ts'
import { Type, type Static, type Schema, Optional } from '../type.ts'
import {
  Asset,
  AssetAmount,
  BlsCredentials,
  L1ValidatorManagerDetails,
  SubnetOwnershipInfo,
} from './asset.ts'
import { seconds, cb58 } from './scalars.ts'
import { GenesisData } from './subnet.ts'
import { Utxo, UtxoCredential } from './utxo.ts'
import { AutoRenewDetails } from './validator.ts'

/** Transaction types callers may filter by; `UNKNOWN` is what clients call newer ones. */
export const transactionTypes = [...transactionNames, 'UNKNOWN'] as const

/** Filter by transaction type. */
export const TxTypes = Optional.Array(Type.Enum(transactionTypes), 'Only these transaction types')

const amounts = (description?: string): Schema<AssetAmount[]> =>
  Type.Array(AssetAmount, description)

/** A change that a transaction made to an L1 validator, and its state afterwards. */
export const L1ValidatorChange = Type.Component(
  'L1ValidatorChange',
  'A change that a transaction made to an L1 validator, and its state afterwards',
  {
    validationId: cb58,
    validationIdHex: Type.String('0x hex'),
    nodeId: Type.String('Id of the node'),
    subnetId: cb58,
    weight: Type.Integer('Weight in the set of validators'),
    remainingBalance: Type.Integer('nAVAX'),
    balanceChange: Optional.Integer('nAVAX'),
    blsCredentials: Optional.Object(
      {
        publicKey: Type.String('BLS public key, 0x hex'),
        proofOfPossession: Optional.String('Signature that proves the key, 0x hex'),
      },
      'BLS key of the validator',
    ),
  },
)
/** Decoded {@link L1ValidatorChange}. */
export type L1ValidatorChange = Static<typeof L1ValidatorChange>

/** An asset made by a transaction of the X-Chain. */
export const CreatedAsset = Type.Component(
  'CreatedAsset',
  'An asset made by a transaction of the X-Chain',
  {
    assetId: cb58,
    name: Type.String(),
    symbol: Type.String(),
    denomination: Type.Integer('Decimal places'),
    type: Type.String(),
    createdAtTimestamp: seconds,
    cap: Type.Enum(['fixed', 'variable'], 'Whether its supply is fixed or varies'),
  },
)
/** Decoded {@link CreatedAsset}. */
export type CreatedAsset = Static<typeof CreatedAsset>

/** A side of an atomic transaction on the EVM chain. */
const EvmSide = Type.Component('EvmSide', 'The side of an atomic transaction on the EVM chain', {
  fromAddress: Optional.String('EVM account that paid', {
    examples: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  }),
  toAddress: Optional.String('EVM account that was paid', {
    examples: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  }),
  asset: AssetAmount,
  credentials: Optional.Array(UtxoCredential, 'Who signed, with which signatures'),
})

/** One transaction. */
export const PrimaryNetworkTransaction = Type.Component(
  'PrimaryNetworkTransaction',
  'A transaction of the P-, X- or C-Chain',
  {
    txHash: cb58,
    txType: Type.String('Type of the transaction'),
    blockTimestamp: seconds,
    blockNumber: Type.String('Height of the block'),
    blockHash: cb58,
    consumedUtxos: Type.Array(Utxo, 'Outputs that were spent'),
    emittedUtxos: Type.Array(Utxo, 'Outputs that were made'),
    sourceChain: Type.Optional(cb58),
    destinationChain: Type.Optional(cb58),
    value: amounts(),
    amountBurned: amounts('Burned as fee, by asset'),
    amountStaked: amounts('Put at stake, by asset'),
    amountL1ValidatorBalanceBurned: amounts('Put into balances of L1 validators, by asset'),
    startTimestamp: Type.Optional(seconds),
    endTimestamp: Type.Optional(seconds),
    delegationFeePercent: Optional.String('Fee of delegators, percent', { examples: ['2'] }),
    nodeId: Optional.String('Id of the node'),
    subnetId: Type.Optional(cb58),
    l1ValidatorManagerDetails: Type.Optional(L1ValidatorManagerDetails),
    l1ValidatorDetails: Optional.Array(
      L1ValidatorChange,
      'L1 validators that the transaction made or changed',
    ),
    estimatedReward: Optional.String('smallest unit of `estimatedRewardAsset`', {
      pattern: '^[0-9]+$',
      'x-decimals': 'estimatedRewardAsset.denomination',
    }),
    estimatedRewardAsset: Type.Optional(Asset),
    rewardTxHash: Type.Optional(cb58),
    rewardAddresses: Optional.Array(Type.String(), 'Owners of the reward, bech32'),
    memo: Optional.String('0x hex'),
    stakingTxHash: Type.Optional(cb58),
    subnetOwnershipInfo: Type.Optional(SubnetOwnershipInfo),
    blsCredentials: Type.Optional(BlsCredentials),
    blockchainInfo: Optional.Object(
      {
        chainName: Type.String('Name of the chain'),
        vmId: cb58,
        genesisData: Type.Optional(GenesisData),
      },
      { additionalProperties: false, description: 'The blockchain that the transaction made' },
    ),
    period: Optional.Integer('auto-renewed validators: seconds of a cycle; 0: no more', {
      examples: [1_209_600],
    }),
    autoCompoundRewardShares: Optional.Integer(
      'auto-renewed validators: restaked share, millionths',
      { examples: [300_000] },
    ),
    validatorAuthority: Optional.Object(
      {
        addresses: Type.Array(Type.String(), 'Addresses'),
        threshold: Type.Integer('Signatures needed'),
      },
      'owners that may change an auto-renewed validator',
    ),
    /** While the stake runs, in `transactions:listStaking`. */
    autoRenew: Type.Optional(AutoRenewDetails),
    /** `Aborted` for proposals that were voted down; absent otherwise. */
    status: Optional.Enum(['Aborted']),
    // Names of the X- and C-Chain variants.
    timestamp: Type.Optional(seconds),
    blockHeight: Optional.Integer('Height of the block'),
    chainFormat: Optional.Enum(
      ['linear', 'non-linear'],
      'Form of the transaction: linear, or of the time of vertices',
    ),
    amountUnlocked: Type.Optional(amounts('Inputs, by asset')),
    amountCreated: Type.Optional(amounts('Outputs, by asset')),
    assetCreated: Type.Optional(CreatedAsset),
    evmInputs: Optional.Array(EvmSide, 'EVM accounts that paid'),
    evmOutputs: Optional.Array(EvmSide, 'EVM accounts that were paid'),
    vertices: Optional.Array(
      Type.Object({
        hash: cb58,
        height: Type.Integer('Height', { examples: [75] }),
        timestamp: seconds,
      }),
      'Vertices that held it, before Cortina',
    ),
  },
)
/** Decoded {@link PrimaryNetworkTransaction}. */
export type PrimaryNetworkTransaction = Static<typeof PrimaryNetworkTransaction>
