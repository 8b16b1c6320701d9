/**
 * Transactions of the three chains. Source: document A, PrimaryNetworkTransaction; the names used
 * by the official clients for the X- and C-Chain stand beside the document's.
 */

import { transactionNames } from '../../core/type-ids.ts'
import { Type, type Static } from '../type.ts'
import {
  Asset,
  AssetAmount,
  BlsCredentials,
  L1ValidatorManagerDetails,
  SubnetOwnershipInfo,
} from './asset.ts'
import { GenesisData } from './subnet.ts'
import { Utxo, UtxoCredential } from './utxo.ts'
import { AutoRenewDetails } from './validator.ts'

/** Transaction types callers may filter by; `UNKNOWN` is what clients call newer ones. */
export const transactionTypes = [...transactionNames, 'UNKNOWN'] as const

/** Filter by transaction type. */
export const TxTypes = Type.Optional(
  Type.Array(Type.Enum([...transactionTypes]), { description: 'Only these transaction types' }),
)

const seconds = Type.Integer({ description: 'Unix seconds' })
const hash = Type.String({ description: 'cb58' })
const amounts = Type.Array(AssetAmount)

/** A change that a transaction made to an L1 validator, and its state afterwards. */
export const L1ValidatorChange = Type.Object(
  {
    validationId: hash,
    validationIdHex: Type.String({ description: '0x hex' }),
    nodeId: Type.String(),
    subnetId: hash,
    weight: Type.Integer(),
    remainingBalance: Type.Integer({ description: 'nAVAX' }),
    balanceChange: Type.Optional(Type.Integer({ description: 'nAVAX' })),
    blsCredentials: Type.Optional(
      Type.Object({
        publicKey: Type.String(),
        proofOfPossession: Type.Optional(Type.String()),
      }),
    ),
  },
  { $id: 'L1ValidatorChange', additionalProperties: false },
)
/** Decoded {@link L1ValidatorChange}. */
export type L1ValidatorChange = Static<typeof L1ValidatorChange>

/** An asset made by a transaction of the X-Chain. */
export const CreatedAsset = Type.Object(
  {
    assetId: hash,
    name: Type.String(),
    symbol: Type.String(),
    denomination: Type.Integer(),
    type: Type.String(),
    createdAtTimestamp: seconds,
    cap: Type.Enum(['fixed', 'variable']),
  },
  { $id: 'CreatedAsset', additionalProperties: false },
)
/** Decoded {@link CreatedAsset}. */
export type CreatedAsset = Static<typeof CreatedAsset>

/** A side of an atomic transaction on the EVM chain. */
const EvmSide = Type.Object(
  {
    fromAddress: Type.Optional(Type.String()),
    toAddress: Type.Optional(Type.String()),
    asset: AssetAmount,
    credentials: Type.Optional(Type.Array(UtxoCredential)),
  },
  { $id: 'EvmSide', additionalProperties: false },
)

/** One transaction. */
export const PrimaryNetworkTransaction = Type.Object(
  {
    txHash: hash,
    txType: Type.String(),
    blockTimestamp: seconds,
    blockNumber: Type.String(),
    blockHash: hash,
    consumedUtxos: Type.Array(Utxo),
    emittedUtxos: Type.Array(Utxo),
    sourceChain: Type.Optional(hash),
    destinationChain: Type.Optional(hash),
    value: amounts,
    amountBurned: amounts,
    amountStaked: amounts,
    amountL1ValidatorBalanceBurned: amounts,
    startTimestamp: Type.Optional(seconds),
    endTimestamp: Type.Optional(seconds),
    delegationFeePercent: Type.Optional(Type.String()),
    nodeId: Type.Optional(Type.String()),
    subnetId: Type.Optional(hash),
    l1ValidatorManagerDetails: Type.Optional(L1ValidatorManagerDetails),
    l1ValidatorDetails: Type.Optional(Type.Array(L1ValidatorChange)),
    estimatedReward: Type.Optional(
      Type.String({
        description: 'smallest unit of `estimatedRewardAsset`',
        pattern: '^[0-9]+$',
        'x-decimals': 'estimatedRewardAsset.denomination',
      }),
    ),
    estimatedRewardAsset: Type.Optional(Asset),
    rewardTxHash: Type.Optional(hash),
    rewardAddresses: Type.Optional(Type.Array(Type.String())),
    memo: Type.Optional(Type.String({ description: '0x hex' })),
    stakingTxHash: Type.Optional(hash),
    subnetOwnershipInfo: Type.Optional(SubnetOwnershipInfo),
    blsCredentials: Type.Optional(BlsCredentials),
    blockchainInfo: Type.Optional(
      Type.Object(
        {
          chainName: Type.String(),
          vmId: hash,
          genesisData: Type.Optional(GenesisData),
        },
        { additionalProperties: false },
      ),
    ),
    period: Type.Optional(
      Type.Integer({ description: 'auto-renewed validators: seconds of a cycle; 0: no more' }),
    ),
    autoCompoundRewardShares: Type.Optional(
      Type.Integer({ description: 'auto-renewed validators: restaked share, millionths' }),
    ),
    validatorAuthority: Type.Optional(
      Type.Object(
        { addresses: Type.Array(Type.String()), threshold: Type.Integer() },
        { description: 'owners that may change an auto-renewed validator' },
      ),
    ),
    /** While the stake runs, in `transactions:listStaking`. */
    autoRenew: Type.Optional(AutoRenewDetails),
    /** `Aborted` for proposals that were voted down; absent otherwise. */
    status: Type.Optional(Type.Enum(['Aborted'])),
    // Names of the X- and C-Chain variants.
    timestamp: Type.Optional(seconds),
    blockHeight: Type.Optional(Type.Integer()),
    chainFormat: Type.Optional(Type.Enum(['linear', 'non-linear'])),
    amountUnlocked: Type.Optional(amounts),
    amountCreated: Type.Optional(amounts),
    assetCreated: Type.Optional(CreatedAsset),
    evmInputs: Type.Optional(Type.Array(EvmSide)),
    evmOutputs: Type.Optional(Type.Array(EvmSide)),
    vertices: Type.Optional(
      Type.Array(Type.Object({ hash, height: Type.Integer(), timestamp: seconds })),
    ),
  },
  { $id: 'PrimaryNetworkTransaction', additionalProperties: false },
)
/** Decoded {@link PrimaryNetworkTransaction}. */
export type PrimaryNetworkTransaction = Static<typeof PrimaryNetworkTransaction>
