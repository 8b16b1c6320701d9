/** Usage of API keys. Source: official clients, UsageMetrics. */

import { moment } from './evm/scalars.ts'
import { Type, type OptionalSchema } from './type.ts'

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

const text = (description: string): OptionalSchema<string> =>
  Type.Optional(Type.String({ maxLength: 256, description }))

/** The answers that are counted. */
export const usageFilters = {
  orgId: text('Organisation: whose keys they are'),
  startTimestamp: Type.Optional(moment('Unix seconds; begins with the first hour of its day')),
  endTimestamp: Type.Optional(moment('Unix seconds; default now')),
  chainId: text('EVM chain id'),
  responseCode: Type.Optional(
    Type.String({
      pattern: '^[0-9]{3}$',
      allowed: 'an HTTP status of three digits',
      description: 'HTTP status',
    }),
  ),
  requestType: Type.Optional(Type.Enum(['data', 'rpc'], 'Kind of the request')),
  apiKeyId: text('Id of the key'),
  requestPath: text('Path of the operation'),
}

/** Use of one period and group. */
export const UsageValue = Type.Object(
  {
    groupedBy: Type.Enum([...usageGroups, 'None'], 'What rows are grouped by'),
    groupValue: Type.Optional(Type.String('Group of the row')),
    totalRequests: Type.Integer('Answers'),
    requestsPerSecond: Type.Number('Answers a second'),
    successRatePercent: Type.Number('share of answers below 400'),
    medianResponseTimeMsecs: Type.Number('to within a fifth'),
    invalidRequests: Type.Integer('answers of 400 to 499'),
    apiCreditsUsed: Type.Integer('compute units'),
    apiCreditsWasted: Type.Integer('compute units of answers of 400 and more'),
  },
  { $id: 'UsageValue', description: 'Use of one period and group' },
)

/** One answer. */
export const UsageLog = Type.Object(
  {
    orgId: Type.String('Organisation: whose keys they are'),
    logId: Type.String('UUID'),
    eventTimestamp: Type.Integer('Unix seconds'),
    apiKeyId: Type.String('Id of the key'),
    apiKeyAlias: Type.String('name of the key'),
    hostRegion: Type.String('Region; always empty here'),
    requestType: Type.Enum(['data'], 'Kind of the request'),
    requestPath: Type.String('Path of the operation'),
    apiCreditsConsumed: Type.Integer('compute units'),
    requestDurationMsecs: Type.Number('Time of the answer, milliseconds'),
    responseCode: Type.Integer('HTTP status'),
    chainId: Type.Optional(Type.String('EVM chain id')),
    metadata: Type.Object(
      {
        ipAddress: Type.String('Address of the caller'),
        host: Type.String('Host that was called'),
        userAgent: Type.String('Program of the caller'),
      },
      'What it is about',
    ),
  },
  { $id: 'UsageLog', description: 'One answer that a key was given' },
)
