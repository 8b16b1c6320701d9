/** Rewards of staking, paid and expected. Source: document A, HistoricalReward. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { AssetAmount, PricedAsset } from './asset.ts'
import { StakingType } from './auto-renew.ts'

const seconds = Type.Integer({ description: 'Unix seconds' })
const hash = Type.String({ description: 'cb58' })

const stakeFields = {
  addresses: Type.Array(Type.String()),
  txHash: Type.String({ description: 'the staking transaction, cb58' }),
  amountStaked: Type.String({ description: 'nAVAX', pattern: '^[0-9]+$', 'x-decimals': 9 }),
  nodeId: Type.String(),
  stakingType: StakingType,
  startTimestamp: seconds,
  endTimestamp: seconds,
  rewardType: Type.Enum(['VALIDATOR', 'DELEGATOR', 'VALIDATOR_FEE']),
} as const

/** A reward paid. */
export const HistoricalReward = Type.Object(
  {
    ...stakeFields,
    utxoId: hash,
    outputIndex: Type.Integer(),
    reward: PricedAsset,
    rewardTxHash: hash,
  },
  { $id: 'HistoricalReward', additionalProperties: false },
)
/** Decoded {@link HistoricalReward}. */
export type HistoricalReward = Static<typeof HistoricalReward>

/** A reward to come, if the validator stays up. */
export const PendingReward = Type.Object(
  {
    ...stakeFields,
    progress: Type.Number({ description: 'percent of the time that is over' }),
    estimatedReward: AssetAmount,
  },
  { $id: 'PendingReward', additionalProperties: false },
)
/** Decoded {@link PendingReward}. */
export type PendingReward = Static<typeof PendingReward>
