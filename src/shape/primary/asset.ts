/** Assets, owners and balances. */

import { Type, type Static, type OptionalSchema, Optional } from '../type.ts'

const names = {
  assetId: Type.String('cb58'),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Integer('decimal places'),
  type: Type.String('`secp256k1` or `nft`'),
} as const
const assetFields = {
  ...names,
  amount: Type.String('smallest unit, base 10', {
    pattern: '^[0-9]+$',
    'x-decimals': 'denomination',
  }),
} as const

/** Names of an asset, and how many decimal places its amounts have. */
export const Asset = Type.Component('Asset', 'The asset that amounts are in.', names)
/** Decoded {@link Asset}. */
export type Asset = Static<typeof Asset>

/** An amount of one asset. */
export const AssetAmount = Type.Component('AssetAmount', 'An amount of one asset', assetFields)
/** Decoded {@link AssetAmount}. */
export type AssetAmount = Static<typeof AssetAmount>

/** A sum over UTXOs of one asset. */
export const BalanceAsset = Type.Component('BalanceAsset', 'A sum over UTXOs of one asset', {
  ...assetFields,
  utxoCount: Type.Integer('UTXOs in the sum'),
})
/** Decoded {@link BalanceAsset}. */
export type BalanceAsset = Static<typeof BalanceAsset>

/** A sum over UTXOs of one asset on their way between two chains. */
export const AtomicBalanceAsset = Type.Component(
  'AtomicBalanceAsset',
  'A sum over UTXOs of one asset on their way between two chains',
  {
    ...assetFields,
    utxoCount: Type.Integer('UTXOs in the sum'),
    sharedWithChainId: Type.String('the other chain, cb58'),
    status: Type.String('`unlocked` or `locked`'),
  },
)
/** Decoded {@link AtomicBalanceAsset}. */
export type AtomicBalanceAsset = Static<typeof AtomicBalanceAsset>

/** An amount with what it was worth. */
export const PricedAsset = Type.Component('PricedAsset', 'An amount with what it was worth', {
  ...assetFields,
  historicalPrice: Optional.Object(
    {
      currencyCode: Type.String('Currency'),
      value: Type.String('price of one whole unit, decimal'),
    },
    { additionalProperties: false, description: 'Price on the day' },
  ),
})
/** Decoded {@link PricedAsset}. */
export type PricedAsset = Static<typeof PricedAsset>

/** The owners that control a subnet. */
export const SubnetOwnershipInfo = Type.Component(
  'SubnetOwnershipInfo',
  'The owners that control a subnet',
  {
    locktime: Type.Integer('Unix seconds'),
    threshold: Type.Integer('Signatures needed'),
    addresses: Type.Array(Type.String(), 'Addresses'),
  },
)
/** Decoded {@link SubnetOwnershipInfo}. */
export type SubnetOwnershipInfo = Static<typeof SubnetOwnershipInfo>

/** BLS key of a validator. */
export const BlsCredentials = Type.Component('BlsCredentials', 'BLS key of a validator', {
  publicKey: Type.String('48 bytes, 0x hex'),
  proofOfPossession: Type.String('96 bytes, 0x hex'),
})
/** Decoded {@link BlsCredentials}. */
export type BlsCredentials = Static<typeof BlsCredentials>

/** The contract that manages an L1's validators. */
export const L1ValidatorManagerDetails = Type.Component(
  'L1ValidatorManagerDetails',
  'The contract that manages the validators of an L1',
  {
    blockchainId: Type.String('cb58'),
    contractAddress: Type.String('0x hex'),
  },
)
/** Decoded {@link L1ValidatorManagerDetails}. */
export type L1ValidatorManagerDetails = Static<typeof L1ValidatorManagerDetails>

const assets = (description: string): OptionalSchema<BalanceAsset[]> =>
  Optional.Array(BalanceAsset, description)

/** All eight categories; of the C-Chain only the two atomic ones. */
export const Balances = Type.Component(
  'Balances',
  'Balances by category; of the C-Chain only the two atomic ones',
  {
    unlockedUnstaked: assets('Free to be spent'),
    unlockedStaked: assets('At stake, free afterwards'),
    lockedPlatform: assets('Locked until a time'),
    lockedStakeable: assets('Locked, but can be staked'),
    lockedStaked: assets('Locked and at stake'),
    pendingStaked: assets('At stake from a later time on'),
    atomicMemoryUnlocked: Type.Array(
      AtomicBalanceAsset,
      'On the way to another chain, ready to be imported',
    ),
    atomicMemoryLocked: Type.Array(AtomicBalanceAsset, 'On the way to another chain, not ready'),
    restakedRewards: Optional.String(
      'nAVAX: rewards that running auto-renewed validators restaked. They are in no UTXO and in no other balance. P-Chain only, and only now',
      { pattern: '^[0-9]+$' },
    ),
  },
)
/** Decoded {@link Balances}. */
export type Balances = Static<typeof Balances>
