/** The newest answers to a key, one by one. Source: official clients, UsageMetrics. */

import { Fault } from '../../../core/fault.ts'
import { Service } from '../../../shape/operations/service.ts'
import type { Static } from '../../../shape/type.ts'
import type { UsageLog } from '../../../shape/usage.ts'
import { type KeptCall, newestCalls } from '../../../store/query/api-use.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { readPage } from '../../operation/paging.ts'
import type { CallBody } from './call-recorder.ts'
import { keyOf, startOf, organisation, type UsageContext } from './usage-context.ts'

type Place = { readonly atMs: number; readonly id: string }

/** Answers read at once where filters leave most of them out. */
const chunkSize = 500

/** The newest answers to the caller's key. Throws `key-required` without one. */
export function listCalls(context: UsageContext): Operation<'getApiLogs'> {
  return operation(Service.getApiLogs, async ({ query, caller }) => {
    const keyId = keyOf(caller)
    await context.flush()
    const store = await context.store()
    const since = startOf(query.startTimestamp ?? 0) * 1_000
    const newest = query.endTimestamp === undefined ? 2 ** 50 : (query.endTimestamp + 1) * 1_000
    const { chainId, responseCode, requestType, apiKeyId, requestPath } = query
    const isWanted = ({ chain, status, path }: KeptCall): boolean =>
      (chainId === undefined || chainId === chain) &&
      (responseCode === undefined || Number(responseCode) === status) &&
      (requestPath === undefined || requestPath === path)
    const isNone = requestType === 'rpc' || (apiKeyId !== undefined && apiKeyId !== keyId)
    const page = await readPage<KeptCall, Place>(context.tokens, {
      route: Service.getApiLogs.id,
      subject: { key: keyId },
      query,
      ...placeCursor,
      rows: async (after, limit) => {
        const found: KeptCall[] = []
        let before = after ?? { atMs: newest, id: '' }
        // All that is kept of a key are a few thousand.
        while (!isNone) {
          const rows = await newestCalls(store, { keyId, before, since, limit: chunkSize })
          found.push(...rows.filter(isWanted))
          const last = rows.at(-1)
          if (found.length >= limit || last === undefined || rows.length < chunkSize) break
          before = last
        }
        return found.slice(0, limit)
      },
      cursorOf: ({ atMs, id }) => ({ atMs, id }),
    })
    const logs = page.rows.map((row) => viewOf(row, context.nameOf(keyId)))
    const { nextPageToken: token } = page
    return {
      body: { nextPageToken: token, orgId: organisation, logs },
    }
  })
}

const placeCursor = {
  encode: ({ atMs, id }: Place): Uint8Array => Buffer.from(`${atMs} ${id}`),
  decode: (bytes: Uint8Array): Place => {
    const [, atMs, id = ''] = /^(\d+) (\S*)$/.exec(Buffer.from(bytes).toString()) ?? []
    if (atMs === undefined) throw new Fault('bad-page-token', 'pageToken is not valid here')
    return { atMs: Number(atMs), id }
  },
} as const

function viewOf(
  { keyId, atMs, id, status, chain, path, body }: KeptCall,
  name: string,
): Static<typeof UsageLog> {
  const { units, elapsedMs, address, host, userAgent }: CallBody = JSON.parse(body)
  return {
    orgId: organisation,
    logId: id,
    eventTimestamp: Math.floor(atMs / 1_000),
    apiKeyId: keyId,
    apiKeyAlias: name,
    hostRegion: 'local',
    requestType: 'data',
    requestPath: path,
    apiCreditsConsumed: units,
    requestDurationMsecs: elapsedMs,
    responseCode: status,
    chainId: chain === '' ? undefined : chain,
    metadata: { ipAddress: address, host, userAgent },
  }
}
