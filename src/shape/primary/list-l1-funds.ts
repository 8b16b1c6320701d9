/** For operators of L1s: how long the balances of validators last. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, PageToken, pageSize, SubnetId } from './parameters.ts'

const hash = Type.String({ description: 'cb58' })
const amount = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ description: `${description}, nAVAX`, pattern: '^[0-9]+$' })
const days = Type.Number({ description: 'days the balance lasts at this rate, two decimals' })

/** What a fee of now is. */
const FeeRate = Type.Object(
  {
    perSecond: amount('what each active validator pays every second now'),
    perDay: amount('the same, for a day at this rate'),
    activeValidators: Type.Integer({ description: 'of the whole network' }),
    target: Type.Integer({ description: 'more active validators make the rate grow' }),
    excess: Type.String({ description: 'validator-seconds above the target so far' }),
  },
  { $id: 'L1FeeRate', additionalProperties: false },
)

/** Balances of L1 validators, the one that runs out first coming first. */
export const ListL1ValidatorFunds = {
  id: 'listL1ValidatorFunds',
  method: 'GET',
  path: '/v1/networks/{network}/l1Validators:listFunds',
  summary: 'Balances of active L1 validators and how long they last, shortest first',
  tag: 'L1 metrics',
  weight: 100,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      subnetId: Type.Optional(SubnetId),
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
    }),
  },
  response: Type.Object({
    nextPageToken,
    feeRate: FeeRate,
    validators: Type.Array(
      Type.Object(
        {
          validationId: hash,
          nodeId: Type.String(),
          subnetId: hash,
          weight: Type.Integer(),
          remainingBalance: amount('balance'),
          daysLeft: days,
        },
        { $id: 'L1ValidatorFunds', additionalProperties: false },
      ),
    ),
  }),
} as const

/** L1s in sum, the one with the shortest balance first. */
export const ListL1Funds = {
  id: 'listL1Funds',
  method: 'GET',
  path: '/v1/networks/{network}/subnets:listFunds',
  summary: 'Seats, weight and balances of L1s, the one whose first validator runs out coming first',
  tag: 'L1 metrics',
  weight: 100,
  parameters: {
    path: NetworkPath,
    query: Type.Object({ pageToken: PageToken, pageSize: pageSize(10, 100) }),
  },
  response: Type.Object({
    nextPageToken,
    feeRate: FeeRate,
    subnets: Type.Array(
      Type.Object(
        {
          subnetId: hash,
          seats: Type.Integer({ description: 'validations that were not removed' }),
          activeSeats: Type.Integer({ description: 'those with a balance' }),
          totalWeight: Type.Integer({ description: 'of all seats' }),
          activeWeight: Type.Integer({ description: 'of those that can sign' }),
          totalBalance: amount('balances together'),
          feesPerDay: amount('what they pay together, at this rate'),
          daysLeft: Type.Optional(
            Type.Number({ description: 'until the first active validator runs out' }),
          ),
        },
        { $id: 'L1Funds', additionalProperties: false },
      ),
    ),
  }),
} as const
