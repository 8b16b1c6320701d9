/**
 * Notes what is answered to API keys, for their owners' figures.
 *
 * An answer is noted in memory; once a second what was noted goes to the store. What does not fit, or
 * is noted while the store is away for long, is dropped: no caller waits for these figures.
 */

import { randomUUID } from 'node:crypto'

import { ownValue } from '../../../core/json.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import { addCalls, type CallCount, type KeptCall } from '../../../store/query/api-use.ts'
import type { Log } from '../../../telemetry/log.ts'
import { syncUntil } from '../../operation/sync-until.ts'
import type { AdmissionRequest } from './admission.ts'

/** An answer that was given. */
export type AnsweredCall = {
  /** Path of the operation, with the names of its parameters. */
  readonly path: string
  /** The chain its path named; empty without one. */
  readonly chain: string
  readonly status: number
  readonly elapsedMs: number
  readonly request: AdmissionRequest
}

/** Notes answers. */
export type CallRecorder = {
  readonly record: (call: AnsweredCall, keyId: string) => void
  /** Stores what is noted now. */
  readonly flush: () => Promise<void>
  /** Stores what is left, and stops. */
  readonly close: () => Promise<void>
}

const keptHours = 400 * 24
/** Answers written one by one in a second; counts have all of them. */
const mostPerSync = 500
/** Different counts noted at once, some 200 bytes each. */
const mostCounts = 10_000
/** A header beyond this is cut. */
const mostText = 256

/** The bucket of a duration: two for each power of two, from 0.7 ms to an hour. */
export function bucketOf(elapsedMs: number): number {
  return Math.min(44, Math.max(0, Math.floor(Math.log2(Math.max(elapsedMs, 0.7)) * 2)))
}

/** Middle of a bucket, ms. */
export function middleOf(bucket: number): number {
  return 2 ** ((bucket + 0.5) / 2)
}

type CallRecorderOptions = {
  readonly clock: Clock
  readonly log: Log
  /** The store, opened once. */
  readonly open: () => Promise<Database>
  /** Newest answers kept for each key; 0 keeps counts only. */
  readonly most: number
}

/** Begins to note answers. */
export function createCallRecorder(options: CallRecorderOptions): CallRecorder {
  const { clock } = options
  let counts = new Map<string, CallCount>()
  let calls: KeptCall[] = []
  let running: Promise<void> | undefined
  const over = new AbortController()

  const store = async (): Promise<void> => {
    if (counts.size + calls.length === 0) return
    const added = { counts: [...counts.values()], calls }
    counts = new Map()
    calls = []
    const keepFrom = Math.floor(clock.now() / 3_600_000) - keptHours
    await addCalls(await options.open(), added, { keepFrom, most: options.most })
  }

  let writing = Promise.resolve()
  // One after another: who reads after a flush must see what an earlier one is still writing.
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(store)
    return writing
  }

  const record = (call: AnsweredCall, keyId: string): void => {
    const { path, chain, status, elapsedMs, request } = call
    const atMs = clock.now()
    const one = {
      keyId,
      hour: Math.floor(atMs / 3_600_000),
      path,
      status,
      chain: chain.slice(0, mostText),
      bucket: bucketOf(elapsedMs),
    }
    const name = JSON.stringify(one)
    const { requests = 0, units = 0 } = counts.get(name) ?? {}
    if (requests > 0 || counts.size < mostCounts)
      counts.set(name, { ...one, requests: requests + 1, units: units + request.weight })
    if (options.most > 0 && calls.length < mostPerSync)
      calls.push({
        keyId,
        atMs,
        id: randomUUID(),
        status,
        chain: one.chain,
        path,
        body: JSON.stringify(bodyOf(call)),
      })
    running ??= syncUntil(over.signal, flush, {
      ...options,
      warning: 'use of API keys is not stored now',
    })
  }

  return {
    record,
    flush,
    close: async () => {
      over.abort()
      await running
    },
  }
}

/** Fields of an answer that no question filters by. */
export type CallBody = {
  readonly units: number
  readonly elapsedMs: number
  readonly address: string
  readonly host: string
  readonly userAgent: string
}

function bodyOf({ elapsedMs, request }: AnsweredCall): CallBody {
  const text = (name: string): string => {
    const value = ownValue(request.headers, name)
    return typeof value === 'string' ? value.slice(0, mostText) : ''
  }
  return {
    units: request.weight,
    elapsedMs: Math.round(elapsedMs * 1_000) / 1_000,
    address: request.address,
    host: text('host'),
    userAgent: text('user-agent'),
  }
}
