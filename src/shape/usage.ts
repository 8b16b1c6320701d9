/** Usage of API keys. Source: official clients, UsageMetrics. */

import { Type, type Schema } from './type.ts'

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

const seconds = (description: string): Schema<number> =>
  Type.Integer({ minimum: 0, maximum: 2 ** 40, description })

const text = Type.String({ maxLength: 256 })

/** The answers that are counted. */
export const usageFilters = {
  orgId: Type.Optional(text),
  startTimestamp: Type.Optional(seconds('Unix seconds; begins with the first hour of its day')),
  endTimestamp: Type.Optional(seconds('Unix seconds; default now')),
  chainId: Type.Optional(text),
  responseCode: Type.Optional(
    Type.String({ pattern: '^[0-9]{3}$', allowed: 'an HTTP status of three digits' }),
  ),
  requestType: Type.Optional(Type.Enum(['data', 'rpc'])),
  apiKeyId: Type.Optional(text),
  requestPath: Type.Optional(text),
}

/** Use of one period and group. */
export const UsageValue = Type.Object(
  {
    groupedBy: Type.Enum([...usageGroups, 'None']),
    groupValue: Type.Optional(Type.String()),
    totalRequests: Type.Integer(),
    requestsPerSecond: Type.Number(),
    successRatePercent: Type.Number({ description: 'share of answers below 400' }),
    medianResponseTimeMsecs: Type.Number({ description: 'to within a fifth' }),
    invalidRequests: Type.Integer({ description: 'answers of 400 to 499' }),
    apiCreditsUsed: Type.Integer({ description: 'compute units' }),
    apiCreditsWasted: Type.Integer({ description: 'compute units of answers of 400 and more' }),
  },
  { $id: 'UsageValue' },
)

/** One answer. */
export const UsageLog = Type.Object(
  {
    orgId: Type.String(),
    logId: Type.String({ description: 'UUID' }),
    eventTimestamp: Type.Integer({ description: 'Unix seconds' }),
    apiKeyId: Type.String(),
    apiKeyAlias: Type.String({ description: 'name of the key' }),
    hostRegion: Type.String(),
    requestType: Type.Enum(['data']),
    requestPath: Type.String(),
    apiCreditsConsumed: Type.Integer({ description: 'compute units' }),
    requestDurationMsecs: Type.Number(),
    responseCode: Type.Integer(),
    chainId: Type.Optional(Type.String()),
    metadata: Type.Object({
      ipAddress: Type.String(),
      host: Type.String(),
      userAgent: Type.String(),
    }),
  },
  { $id: 'UsageLog' },
)
