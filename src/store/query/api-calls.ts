/** Answers given to API keys: counted by the hour, and the newest one by one. */

import { type Database, type Reader, statement } from '../engine/database.ts'
import { apiCall } from '../schema/deployment.ts'
import { integer, type RowOf, storedRow, text } from './stored-row.ts'

/** Answers of one hour that are alike. */
export type CallCount = {
  readonly keyId: string
  /** Hours since 1970. */
  readonly hour: number
  readonly path: string
  readonly status: number
  readonly chain: string
  /** Half powers of two of milliseconds. */
  readonly bucket: number
  readonly requests: number
  readonly units: number
}

/** One answer; `body` is JSON text of what no question filters by. */
const callRow = storedRow({
  keyId: text('key_id'),
  atMs: integer('at_ms'),
  id: text('id'),
  status: integer('status'),
  chain: text('chain'),
  path: text('path'),
  body: text('body'),
})
/** Row of an answer. */
export type KeptCall = RowOf<typeof callRow>

const add = statement(
  `insert into api_call_hour (key_id, hour, path, status, chain, bucket, requests, units)
   values (?, ?, ?, ?, ?, ?, ?, ?)
   on conflict (key_id, hour, path, status, chain, bucket) do update set
     requests = api_call_hour.requests + excluded.requests,
     units = api_call_hour.units + excluded.units`,
)
const forgetHours = statement('delete from api_call_hour where hour < ?')
const forgetCalls = statement(
  `delete from api_call where key_id = ? and at_ms < (
     select at_ms from api_call where key_id = ? order by at_ms desc limit 1 offset ?)`,
)

/**
 * Adds counts and answers; hours before `keepFrom` go, and all but some `most` newest answers of each
 * key. Cost: a statement per count.
 */
export function addCalls(
  store: Database,
  added: { readonly counts: readonly CallCount[]; readonly calls: readonly KeptCall[] },
  { keepFrom, most }: { readonly keepFrom: number; readonly most: number },
): Promise<void> {
  return store.transaction(async (writer) => {
    for (const one of added.counts) {
      const { keyId, hour, path, status, chain, bucket, requests, units } = one
      await writer.run(add, [keyId, hour, path, status, chain, bucket, requests, units])
    }
    await writer.run(forgetHours, [keepFrom])
    const { calls } = added
    await writer.insert(apiCall, {
      key_id: calls.map(({ keyId }) => keyId),
      at_ms: calls.map(({ atMs }) => atMs),
      id: calls.map(({ id }) => id),
      status: calls.map(({ status }) => status),
      chain: calls.map(({ chain }) => chain),
      path: calls.map(({ path }) => path),
      body: calls.map(({ body }) => body),
    })
    for (const keyId of new Set(calls.map((call) => call.keyId)))
      await writer.run(forgetCalls, [keyId, keyId, most])
  })
}

const counted = storedRow({
  hour: integer('hour'),
  path: text('path'),
  status: integer('status'),
  chain: text('chain'),
  bucket: integer('bucket'),
  requests: integer('requests'),
  units: integer('units'),
})
/** Answers of an hour that are alike, without their key. */
export type CountedCalls = RowOf<typeof counted>

const ofKey = counted.statement(
  (columns) => `select ${columns} from api_call_hour
   where key_id = ? and hour >= ? and hour < ? order by hour limit ?`,
)

/**
 * Counts of a key within hours `[from, until)`, oldest first, at most `limit`.
 *
 * Cost: one range scan of the key.
 */
export async function callsOfKey(
  store: Reader,
  query: {
    readonly keyId: string
    readonly from: number
    readonly until: number
    readonly limit: number
  },
): Promise<CountedCalls[]> {
  const { keyId, from, until, limit } = query
  return (await store.all(ofKey, [keyId, from, until, limit])).map(counted.read)
}

const newest = callRow.statement(
  (columns) => `select ${columns} from api_call
   where key_id = ? and (at_ms, id) < (?, ?) and at_ms >= ?
   order by at_ms desc, id desc limit ?`,
)

/** Answers to a key before a place and since a moment (ms), newest first. Cost: one range scan. */
export async function newestCalls(
  store: Reader,
  query: {
    readonly keyId: string
    readonly before: { readonly atMs: number; readonly id: string }
    readonly since: number
    readonly limit: number
  },
): Promise<KeptCall[]> {
  const { keyId, before, since, limit } = query
  const rows = await store.all(newest, [keyId, before.atMs, before.id, since, limit])
  return rows.map(callRow.read)
}
