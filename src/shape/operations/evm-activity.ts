/** Who was most active on a chain in a day, week or month. */

import { ChainPath, pageSize, pageToken } from '../evm/parameters.ts'
import { address, moment } from '../evm/scalars.ts'
import { label } from '../evm/token.ts'
import { pageShape } from '../page-shape.ts'
import { Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

/** Addresses that a list has at most. */
export const mostListed = 1_000

const common = {
  weight: 100,
  pathParameters: ChainPath,
  query: {
    timeInterval: Optional.Enum(['day', 'week', 'month'], {
      default: 'day',
      description: 'Length of the period, UTC; weeks begin on Monday',
    }),
    timestamp: Type.Optional(
      moment('Unix second of the period; default that of the last block counted'),
    ),
    sortBy: Optional.Enum(['transactions', 'gasUsed'], {
      default: 'transactions',
      description: 'Of what those with the most come first',
    }),
    pageToken,
    pageSize,
  },
  response: pageShape({
    startTimestamp: Type.Integer('First second of the period'),
    endTimestamp: Type.Integer('First second after it'),
    countedUntilBlock: Type.Integer('Last block counted on the chain; -1 before the first'),
    isComplete: Type.Boolean(
      'Whether blocks after the period are counted, so that nothing changes',
    ),
    addressCount: Type.Integer('How many addresses the period has'),
    transactionCount: Type.Integer('Transactions of all of them'),
    gasUsed: Type.Integer('Gas that these used'),
    addresses: Type.Array(
      Type.Object({
        address: address('Address'),
        label,
        transactionCount: Type.Integer('Its transactions'),
        gasUsed: Type.Integer('Gas that these used'),
      }),
      `Those with the most first; the first ${mostListed.toLocaleString('en-US')}`,
    ),
  }),
} as const

/** Who was most active. */
export const EvmActivity = contracts('EVM transactions', {
  listActiveSenders: {
    ...common,
    path: '/v1/chains/{chainId}/activeSenders',
    summary: 'Addresses that sent the most transactions in a day, week or month',
  },
  listCalledContracts: {
    ...common,
    path: '/v1/chains/{chainId}/calledContracts',
    summary: 'Addresses that the most transactions called with data in a day, week or month',
  },
} as const satisfies Declarations)
