/** Messages between chains, both ends joined. */

import { networkNames } from '../../core/network.ts'
import { IcmMessage, TeleporterMessage } from '../icm/icm-message.ts'
import { pointPage } from '../metrics/metric-point.ts'
import { pageShape } from '../page-shape.ts'
import { type Schema, Type, Optional } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const pageQuery = {
  pageToken: Optional.String('nextPageToken of the page before', { examples: ['AQ3gk2…'] }),
  pageSize: Optional.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    description: 'Messages a page',
  }),
  network: Optional.Enum(networkNames, 'Only of this network'),
}

const evmAddress = {
  pattern: '^0x[0-9a-fA-F]{40}$',
  allowed: 'an EVM address, 0x and 40 hex digits',
}

const summaries = Optional.Boolean(
  'Tell the transaction that sent each message, or else delivered it, in a sentence',
)

const icmMessages = pageShape({ messages: Type.Array(IcmMessage) })

const idText = { description: 'Blockchain id, cb58 or hex' }

/** Document B, endpoint 9. */
const ListIcmMessagesByAddress = {
  path: '/v1/icm/addresses/{address}/messages',
  summary: 'Interchain messages from or to an address, newest first',
  pathParameters: { address: Type.String({ ...evmAddress, description: 'EVM address' }) },
  query: { ...pageQuery, summaries },
  response: icmMessages,
} as const

/** Neighbour of document B: all messages. */
const ListIcmMessages = {
  path: '/v1/icm/messages',
  summary: 'Interchain messages, newest first',
  query: {
    ...pageQuery,
    sourceBlockchainId: Optional.String(idText),
    destinationBlockchainId: Optional.String(idText),
    blockchainId: Optional.String('Source or destination, cb58 or hex'),
    from: Optional.String({ ...evmAddress, description: 'Sender' }),
    to: Optional.String({ ...evmAddress, description: 'Recipient' }),
    summaries,
  },
  response: icmMessages,
} as const

/** Neighbour of document B: one message. */
const GetIcmMessage = {
  path: '/v1/icm/messages/{messageId}',
  summary: 'One interchain message',
  lane: 'item',
  pathParameters: {
    messageId: Type.String('Message id, hex', {
      pattern: '^(0x)?[0-9a-fA-F]{64}$',
      allowed: 'a message id, 64 hex digits',
    }),
  },
  response: IcmMessage,
} as const

const teleporterMessages = pageShape({ messages: Type.Array(TeleporterMessage) })

const groupings = [
  'srcBlockchainId',
  'destBlockchainId',
  'srcBlockchainId,destBlockchainId',
] as const

const filters = {
  srcBlockchainId: Optional.String('only sent from this blockchain, cb58 or hex', {
    maxLength: 128,
  }),
  destBlockchainId: Optional.String('only sent to this blockchain, cb58 or hex', {
    maxLength: 128,
  }),
  groupBy: Optional.Enum(groupings, 'a row for each id; default: all together'),
  network: Optional.Enum(networkNames, 'only of this network'),
}

const ends = {
  srcBlockchainId: Type.String('cb58; `total` when any'),
  destBlockchainId: Type.String('cb58; `total` when any'),
}

const sent = (window: string): Schema<number> => Type.Integer(`messages sent ${window}`)

const Windows = Type.Component('IcmWindows', 'Messages of the last hour, day and so on', {
  ...ends,
  lastHour: sent('in this hour and the one before'),
  lastDay: sent('in the last 24 hours, whole hours'),
  lastWeek: sent('in 7 days'),
  lastMonth: sent('in 30 days'),
  last90Days: sent('in 90 days'),
  lastYear: sent('in 365 days'),
  allTime: sent('ever'),
})

/** Messages between chains, both ends joined. */
export const Icm = contracts('Interchain messages', {
  listIcmMessagesByAddress: ListIcmMessagesByAddress,
  listIcmMessages: ListIcmMessages,
  getIcmMessage: GetIcmMessage,
  getICMTimeseries: {
    path: '/v2/icm/timeseries',
    summary: 'Interchain messages sent per period, newest first',
    weight: 100,
    query: {
      ...filters,
      startTimestamp: Optional.Integer({
        minimum: 0,
        description: 'only periods after this Unix second',
      }),
      endTimestamp: Optional.Integer({
        minimum: 0,
        description: 'only periods before this Unix second',
      }),
      timeInterval: Optional.Enum(['hour', 'day', 'week', 'month'], {
        default: 'day',
        description: 'period',
      }),
      ...pointPage,
    },
    response: pageShape({
      results: Type.Array(
        Type.Component('IcmPoint', 'Messages of one period', {
          value: sent('in the period'),
          timestamp: Type.Integer('Unix seconds'),
          ...ends,
        }),
      ),
    }),
  },
  getICMSummary: {
    path: '/v2/icm/summary',
    summary: 'Interchain messages sent within windows that end now',
    weight: 100,
    query: filters,
    response: Type.Object({
      result: Type.Intersect([Windows], 'the only row, or the greatest'),
      results: Type.Array(Windows, 'all rows, greatest first'),
    }),
  },
  getTeleporterMetricsByChain: {
    path: '/v2/chains/{chainId}/teleporterMetrics/{metric}',
    summary: 'Messages a chain sent, received, or both',
    weight: 100,
    pathParameters: {
      chainId: Type.String('chain id, blockchain id, or total, mainnet, testnet', {
        maxLength: 512,
      }),
      metric: Type.Enum(
        ['teleporterSourceTxnCount', 'teleporterDestinationTxnCount', 'teleporterTotalTxnCount'],
        'What is counted',
      ),
    },
    response: Type.Object({
      result: Type.Object({ value: Type.Integer() }, 'The answer'),
    }),
  },
} as const satisfies Declarations)

/** Older names of the operations on messages. */
export const Teleporter = contracts('Interchain messages', {
  listTeleporterMessagesByAddress: {
    ...ListIcmMessagesByAddress,
    path: '/v1/teleporter/addresses/{address}/messages',
    summary: 'Older name of /v1/icm/addresses/{address}/messages',
    response: teleporterMessages,
  },
  listTeleporterMessages: {
    ...ListIcmMessages,
    path: '/v1/teleporter/messages',
    summary: 'Older name of /v1/icm/messages',
    response: teleporterMessages,
  },
  getTeleporterMessage: {
    ...GetIcmMessage,
    path: '/v1/teleporter/messages/{messageId}',
    summary: 'Older name of /v1/icm/messages/{messageId}',
    response: TeleporterMessage,
  },
} as const satisfies Declarations)
