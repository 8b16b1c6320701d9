/** Amounts of assets. Source: document A, AssetAmount and Balances. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

const assetFields = {
  assetId: Type.String({ description: 'cb58' }),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Integer({ description: 'decimal places' }),
  type: Type.String({ description: '`secp256k1` or `nft`' }),
  amount: Type.String({
    description: 'smallest unit, base 10',
    pattern: '^[0-9]+$',
    'x-decimals': 'denomination',
  }),
} as const

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
