/**
 * An answer as the guides print it: of every list the first item, of long texts the beginning, and
 * nothing of what another process or moment would answer otherwise.
 */

/** Longest text that is printed whole: a transaction hash or a P-Chain address. */
const longest = 68

/** Fields that differ by process or moment; their names say what stands there. */
const changing = new Set([
  'nextPageToken',
  'webhookId',
  'secret',
  'createdAt',
  'updatedAt',
  'startedAt',
  'uptimeSeconds',
  'lastUpdated',
  'version',
  'blocksPerSecond',
  'headAt',
  'balancesComparedAt',
  'etaSeconds',
  'delivery',
  'metadataLastUpdatedTimestamp',
  'verificationId',
  'jobStartTime',
  'jobFinishTime',
  'errorId',
  'progress',
  'operationId',
  'downloadUrl',
  'createdAtTimestamp',
  'updatedAtTimestamp',
  'logId',
  'eventTimestamp',
  'apiKeyId',
  'requestDurationMsecs',
  'medianResponseTimeMsecs',
  'requestsPerSecond',
  'totalRequests',
  'apiCreditsUsed',
  'ipAddress',
  'host',
  'userAgent',
])

/** The lines of an answer, shortened; `hidden` are names of more fields that change. */
export function shortenedAnswer(answer: unknown, hidden: readonly string[] = []): string {
  const shown: unknown = JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
    // A day has its price from the next day on.
    name === 'historicalPrice' ? undefined : hidden.includes(name) ? '…' : value,
  )
  return JSON.stringify(shortened(shown, ''), undefined, 2)
}

/** Changing part of the figures of a key: the day on which it was used. */
export const hiddenInUsage: readonly string[] = ['timestamp']

function shortened(value: unknown, name: string): unknown {
  if (changing.has(name)) return '…'
  if (Array.isArray(value)) {
    const items: unknown[] = value.slice(0, 1).map((item) => shortened(item, ''))
    return value.length > 1 ? [...items, `… ${value.length - 1} more`] : items
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, shortened(inner, key)]),
    )
  if (typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value))
    return '…'
  if (typeof value === 'string' && value.length > longest) return `${value.slice(0, 40)}…`
  return value
}
