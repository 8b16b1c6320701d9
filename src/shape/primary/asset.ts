/** Assets, owners and balances. */

import { Type, type Static } from '../type.ts'

const names = {
  assetId: Type.String({ description: 'cb58' }),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Integer({ description: 'decimal places' }),
  type: Type.String({ description: '`secp256k1` or `nft`' }),
} as const
const assetFields = {
  ...names,
  amount: Type.String({
    description: 'smallest unit, base 10',
    pattern: '^[0-9]+$',
    'x-decimals': 'denomination',
  }),
} as const

/** Names of an asset, and how many decimal places its amounts have. */
export const Asset = Type.Object(names, {
  $id: 'Asset',
  description: 'The asset that amounts are in.',
  additionalProperties: false,
})
/** Decoded {@link Asset}. */
export type Asset = Static<typeof Asset>

/** An amount of one asset. */
export const AssetAmount = Type.Object(assetFields, {
  $id: 'AssetAmount',
  additionalProperties: false,
})
/** Decoded {@link AssetAmount}. */
export type AssetAmount = Static<typeof AssetAmount>

/** A sum over UTXOs of one asset. */
export const BalanceAsset = Type.Object(
  { ...assetFields, utxoCount: Type.Integer() },
  { $id: 'BalanceAsset', additionalProperties: false },
)
/** Decoded {@link BalanceAsset}. */
export type BalanceAsset = Static<typeof BalanceAsset>

/** A sum over UTXOs of one asset on their way between two chains. */
export const AtomicBalanceAsset = Type.Object(
  {
    ...assetFields,
    utxoCount: Type.Integer(),
    sharedWithChainId: Type.String({ description: 'the other chain, cb58' }),
    status: Type.String({ description: '`unlocked` or `locked`' }),
  },
  { $id: 'AtomicBalanceAsset', additionalProperties: false },
)
/** Decoded {@link AtomicBalanceAsset}. */
export type AtomicBalanceAsset = Static<typeof AtomicBalanceAsset>

/** An amount with what it was worth. */
export const PricedAsset = Type.Object(
  {
    ...assetFields,
    historicalPrice: Type.Optional(
      Type.Object(
        {
          currencyCode: Type.String(),
          value: Type.String({ description: 'price of one whole unit, decimal' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'PricedAsset', additionalProperties: false },
)
/** Decoded {@link PricedAsset}. */
export type PricedAsset = Static<typeof PricedAsset>

/** The owners that control a subnet. */
export const SubnetOwnershipInfo = Type.Object(
  {
    locktime: Type.Integer({ description: 'Unix seconds' }),
    threshold: Type.Integer(),
    addresses: Type.Array(Type.String()),
  },
  { $id: 'SubnetOwnershipInfo', additionalProperties: false },
)
/** Decoded {@link SubnetOwnershipInfo}. */
export type SubnetOwnershipInfo = Static<typeof SubnetOwnershipInfo>

/** BLS key of a validator. */
export const BlsCredentials = Type.Object(
  {
    publicKey: Type.String({ description: '48 bytes, 0x hex' }),
    proofOfPossession: Type.String({ description: '96 bytes, 0x hex' }),
  },
  { $id: 'BlsCredentials', additionalProperties: false },
)
/** Decoded {@link BlsCredentials}. */
export type BlsCredentials = Static<typeof BlsCredentials>

/** The contract that manages an L1's validators. */
export const L1ValidatorManagerDetails = Type.Object(
  {
    blockchainId: Type.String({ description: 'cb58' }),
    contractAddress: Type.String({ description: '0x hex' }),
  },
  { $id: 'L1ValidatorManagerDetails', additionalProperties: false },
)
/** Decoded {@link L1ValidatorManagerDetails}. */
export type L1ValidatorManagerDetails = Static<typeof L1ValidatorManagerDetails>

const assets = Type.Array(BalanceAsset)
const atomic = Type.Array(AtomicBalanceAsset)

/** All eight categories; of the C-Chain only the two atomic ones. */
export const Balances = Type.Object(
  {
    unlockedUnstaked: Type.Optional(assets),
    unlockedStaked: Type.Optional(assets),
    lockedPlatform: Type.Optional(assets),
    lockedStakeable: Type.Optional(assets),
    lockedStaked: Type.Optional(assets),
    pendingStaked: Type.Optional(assets),
    atomicMemoryUnlocked: atomic,
    atomicMemoryLocked: atomic,
    restakedRewards: Type.Optional(
      Type.String({
        description:
          'nAVAX: rewards that running auto-renewed validators restaked. They are in no UTXO and in no other balance. P-Chain only, and only now',
        pattern: '^[0-9]+$',
      }),
    ),
  },
  { $id: 'Balances', additionalProperties: false },
)
/** Decoded {@link Balances}. */
export type Balances = Static<typeof Balances>
