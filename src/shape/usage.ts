/** Usage of API keys. Source: official clients, UsageMetrics. */

import { moment } from './evm/scalars.ts'
import { Type, type OptionalSchema, Optional } from './type.ts'

/** Lengths of the periods that use is given by; minutes of the newest answers only. */
export const usageIntervals = ['minute', 'hourly', 'daily', 'weekly', 'monthly'] as const

/** Fields by which usage may be grouped. */
export const usageGroups = [
  'requestPath',
  'responseCode',
  'chainId',
  'apiKeyId',
  'requestType',
] as const

const text = (description: string, example: string): OptionalSchema<string> =>
  Optional.String({ maxLength: 256, description, examples: [example] })

/** The answers that are counted. */
export const usageFilters = {
  orgId: text('Organisation: whose keys they are', 'organization'),
  startTimestamp: Type.Optional(moment('Unix seconds; begins with the first hour of its day')),
  endTimestamp: Type.Optional(moment('Unix seconds; default now')),
  chainId: text('EVM chain id', '51001'),
  responseCode: Optional.String({
    pattern: '^[0-9]{3}$',
    allowed: 'an HTTP status of three digits',
    description: 'HTTP status',
    examples: ['200'],
  }),
  requestType: Optional.Enum(['data', 'rpc'], 'Kind of the request'),
  apiKeyId: text('Id of the key', 'k3f1c7a52'),
  requestPath: text('Path of the operation', '/v1/chains'),
}

/** Use of one period and group. */
export const UsageValue = Type.Object(
  {
    groupedBy: Type.Enum([...usageGroups, 'None'], 'What rows are grouped by'),
    groupValue: Optional.String('Group of the row'),
    totalRequests: Type.Integer('Answers', { examples: [10] }),
    requestsPerSecond: Type.Number('Answers a second', { examples: [0.1] }),
    successRatePercent: Type.Number('share of answers below 400'),
    medianResponseTimeMsecs: Type.Number('to within a fifth', { examples: [4] }),
    invalidRequests: Type.Integer('answers of 400 to 499'),
    apiCreditsUsed: Type.Integer('compute units', { examples: [100] }),
    apiCreditsWasted: Type.Integer('compute units of answers of 400 and more'),
  },
  { $id: 'UsageValue', description: 'Use of one period and group' },
)

/** One answer. */
export const UsageLog = Type.Object(
  {
    orgId: Type.String('Organisation: whose keys they are'),
    logId: Type.String('UUID', { examples: ['3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11'] }),
    eventTimestamp: Type.Integer('Unix seconds', { examples: [1795372747] }),
    apiKeyId: Type.String('Id of the key', { examples: ['k3f1c7a52'] }),
    apiKeyAlias: Type.String('name of the key'),
    hostRegion: Type.String('Region; always empty here'),
    requestType: Type.Enum(['data'], 'Kind of the request'),
    requestPath: Type.String('Path of the operation'),
    apiCreditsConsumed: Type.Integer('compute units'),
    requestDurationMsecs: Type.Number('Time of the answer, milliseconds', { examples: [4] }),
    responseCode: Type.Integer('HTTP status', { examples: [200] }),
    chainId: Optional.String('EVM chain id'),
    metadata: Type.Object(
      {
        ipAddress: Type.String('Address of the caller', { examples: ['192.0.2.1'] }),
        host: Type.String('Host that was called', { examples: ['127.0.0.1:8080'] }),
        userAgent: Type.String('Program of the caller', { examples: ['curl/8.5.0'] }),
      },
      'What it is about',
    ),
  },
  { $id: 'UsageLog', description: 'One answer that a key was given' },
)
