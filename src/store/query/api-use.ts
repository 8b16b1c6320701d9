/** Use of the API by callers, summed over the processes of a deployment. */

import { type Database, type Reader, statement } from '../engine/database.ts'
import { apiKeyUse, apiCall } from '../schema/deployment.ts'
import { integer, type RowOf, storedRow, text } from './stored-row.ts'

/** Units used in one minute and one day, by the numbers of these windows. */
export type Use = {
  readonly minute: number
  readonly minuteUsed: number
  readonly day: number
  readonly dayUsed: number
}

/** Use that one process adds. */
export type AddedUse = Use & { readonly caller: string }

// A window that has ended here does not count any more; an older one adds nothing.
const add = statement(
  `insert into api_use (caller, minute, minute_used, day, day_used) values (?, ?, ?, ?, ?)
   on conflict (caller) do update set
     minute_used = case when excluded.minute = api_use.minute
       then api_use.minute_used + excluded.minute_used
       when excluded.minute > api_use.minute then excluded.minute_used
       else api_use.minute_used end,
     minute = case when excluded.minute > api_use.minute
       then excluded.minute else api_use.minute end,
     day_used = case when excluded.day = api_use.day then api_use.day_used + excluded.day_used
       when excluded.day > api_use.day then excluded.day_used else api_use.day_used end,
     day = case when excluded.day > api_use.day then excluded.day else api_use.day end`,
)
const read = statement('select minute, minute_used, day, day_used from api_use where caller = ?')
const forget = statement('delete from api_use where day < ?')
const lastUses = statement('select id, used_at from api_key_use')

/**
 * Adds what was used and gives, for each in its order, what all processes used together. Rows of
 * days before `today` are removed. Cost: two statements per caller.
 */
export function addUse(
  store: Database,
  added: readonly AddedUse[],
  today: number,
): Promise<readonly Use[]> {
  return store.transaction(async (writer) => {
    const sums: Use[] = []
    // In one order, so that two processes never wait for each other's rows.
    for (const { caller, minute, minuteUsed, day, dayUsed } of added) {
      await writer.run(add, [caller, minute, minuteUsed, day, dayUsed])
      const row = (await writer.get(read, [caller])) ?? []
      const [m, mu, d, du] = row.map(Number)
      sums.push({
        minute: m ?? minute,
        minuteUsed: mu ?? minuteUsed,
        day: d ?? day,
        dayUsed: du ?? dayUsed,
      })
    }
    await writer.run(forget, [today])
    return sums
  })
}

/** Keeps when keys were used: Unix seconds by key id. */
export function storeKeyUses(store: Database, uses: ReadonlyMap<string, number>): Promise<void> {
  return store.transaction(async (writer) => {
    await writer.upsert(apiKeyUse, { id: [...uses.keys()], used_at: [...uses.values()] })
  })
}

/** When each key was last used, Unix seconds by key id. */
export async function keyUses(store: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(lastUses)
  return new Map(rows.map(([id, usedAt]) => [id, usedAt]))
}

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

const apiCallsAdd = statement(
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
      await writer.run(apiCallsAdd, [keyId, hour, path, status, chain, bucket, requests, units])
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
  return counted.all(store, ofKey, [keyId, from, until, limit])
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
  return callRow.all(store, newest, [keyId, before.atMs, before.id, since, limit])
}
