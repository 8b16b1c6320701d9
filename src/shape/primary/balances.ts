/** Balances by category. Source: document A, Balances; X-Chain keys: official clients. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { AtomicBalanceAsset, BalanceAsset } from './asset.ts'

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
