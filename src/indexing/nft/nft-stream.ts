/**
 * URIs and metadata of NFTs, as a stream beside the blocks of a chain.
 *
 * Contracts are called once their chain is near its head. Documents inside a URI are always read;
 * those elsewhere only where the operator switched fetching on.
 */

import { faultOf } from '../../core/fault.ts'
import type { NftFields, NftStatus } from '../../core/nft-status.ts'
import { growingPause } from '../../core/waiting.ts'
import type { Clock, Transport } from '../../core/world.ts'
import { getCheckpoint, blockStage } from '../../store/checkpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { nftRequestStore, nftRequestTables } from '../../store/schema/nft.ts'
import type { WatchedChain } from '../stream/open-chain.ts'
import { type Round, roundStream } from '../stream/round-stream.ts'
import type { Stream } from '../stream/stage.ts'
import { DocumentFetcher } from './fetch-document.ts'
import { readDocument } from './metadata-document.ts'
import { fillId, type Gateways, planOf } from './metadata-uri.ts'
import { nameOlder, nextRound, type NftItem, type NftResult, writeResults } from './nft-queue.ts'
import { lastRequest, noteFetching, readLogs, readRequests } from './nft-refresh.ts'
import { readUris, type UriAnswer } from './token-uri.ts'

/** Where documents are fetched. */
export type NftFetching = {
  /** Refuses addresses that are not public. */
  readonly transport: Transport
  readonly gatewayTransport: Transport
  readonly gateways: Gateways
}

// With up to two calls each, below the 1,000 calls of a batch; fetched ones take time.
const itemsPerRound = 200
const fetchedPerRound = 32
const fetchesAtOnce = 4

const namesPerRound = 2_000

/** Blocks behind the head at which contracts are called: before, they may still change. */
const nearHead = 16

/** A longer URI is a document of its own, which is read and not shown. */
const maxUriCharacters = 65_536

// Doubling from a minute to a week.
const firstRetryMs = 60_000
const longestRetryMs = 604_800_000

/**
 * The stream. `requests` gives the store of callers' requests, `undefined` while there are none.
 * Without `fetching` documents are not fetched.
 */
export function nftStream(
  chain: WatchedChain,
  requests: () => Promise<Database | undefined>,
  fetching?: NftFetching,
): Stream {
  return roundStream('nfts', chain, oneRound(chain, requests, fetching))
}

/** One step of the work; exported so that tests can take it step by step. */
export function oneRound(
  { key, database, source, clock, commit, changes }: WatchedChain,
  requestStore: () => Promise<Database | undefined>,
  fetching?: NftFetching,
): (signal: AbortSignal) => Promise<Round> {
  const fetcher =
    fetching &&
    new DocumentFetcher({
      transport: fetching.transport,
      clock,
      trusted: {
        prefixes: [...fetching.gateways.ipfs, fetching.gateways.arweave],
        transport: fetching.gatewayTransport,
      },
    })
  let isNoted = false
  return async (signal) => {
    const before = changes()
    const height = (await getCheckpoint(database, blockStage))?.height ?? -1
    if (height < 0) return { height, isBusy: false, isLive: false }
    const nowSeconds = Math.floor(clock.now() / 1_000)
    if (!isNoted) await noteFetching(database, commit, { isOn: fetching !== undefined, nowSeconds })
    isNoted = true
    if ((await nameOlder(database, commit, namesPerRound)) === namesPerRound)
      return { height, isBusy: true, isLive: false }
    await readLogs(database, commit, { height, nowSeconds })
    const requests = await requestStore()
    const requested = await lastRequest(requests, key)
    if (requests !== undefined)
      await readRequests(database, requests, {
        chainKey: key,
        nowMs: clock.now(),
        commit,
      })
    if (height + nearHead < (await source.headHeight(signal)))
      return { height, isBusy: false, isLive: false }
    const limit = fetcher === undefined ? itemsPerRound : fetchedPerRound
    const { items, done } = await nextRound(database, nowSeconds, limit)
    const isWoken = async (): Promise<boolean> =>
      changes() !== before || (await lastRequest(await requestStore(), key)) !== requested
    if (items.length === 0) return { height, isBusy: false, isLive: true, isWoken }
    const answers = await readUris(source, items, signal)
    const work = items.map((item, at) => ({ item, answer: answers[at] }))
    const results = await atOnce(work, fetchesAtOnce, ({ item, answer }) =>
      resultOf(item, answer ?? { kind: 'not-served' }, { clock, fetching, fetcher, signal }),
    )
    await commit(async (writer) => {
      await writeResults(writer, results, Math.floor(clock.now() / 1_000))
      await done(writer)
    })
    return { height, isBusy: true, isLive: false }
  }
}

type Found = {
  readonly status: NftStatus
  readonly fields?: NftFields | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly again?: boolean | undefined
}

async function resultOf(
  of: NftItem,
  answer: UriAnswer,
  by: {
    readonly clock: Clock
    readonly fetching: NftFetching | undefined
    readonly fetcher: DocumentFetcher | undefined
    readonly signal: AbortSignal
  },
): Promise<NftResult> {
  const uri = answer.kind === 'uri' && answer.uri.length <= maxUriCharacters ? answer.uri : ''
  const found = await foundBy(of, answer, by)
  const base = { of, uri, status: found.status, fields: found.fields ?? {} }
  const isRetried =
    found.again === true ||
    found.status === 'UNREACHABLE_TOKEN_URI' ||
    found.status === 'THROTTLED_TOKEN_URI'
  if (!isRetried) return { ...base, attempts: 0 }
  const own = growingPause(of.attempts, { firstMs: firstRetryMs, longestMs: longestRetryMs })
  const requestedMs = Math.min(longestRetryMs, (found.retryAfterSeconds ?? 0) * 1_000)
  const waitSeconds = Math.max(own, requestedMs) / 1_000
  const due = Math.floor(by.clock.now() / 1_000) + waitSeconds
  return { ...base, due, attempts: of.attempts + 1 }
}

async function foundBy(
  { standard, item }: NftItem,
  answer: UriAnswer,
  { fetching, fetcher, signal }: Parameters<typeof resultOf>[2],
): Promise<Found> {
  if (answer.kind === 'not-served') return { status: 'UNINDEXED', again: true }
  if (answer.kind === 'bad') return { status: answer.status }
  const document = (bytes: Uint8Array): Found =>
    readDocument(bytes, standard === 1155 ? (text) => fillId(text, item) : undefined)
  const plan = planOf(answer.uri, fetching?.gateways ?? noGateways)
  switch (plan.kind) {
    case 'bad':
      return { status: plan.status }
    case 'inline':
      return document(plan.bytes)
    case 'fetch': {
      if (fetcher === undefined || plan.urls.length === 0) return { status: 'UNINDEXED' }
      const fetched = await fetcher.first(plan.urls, signal)
      return fetched.kind === 'document' ? document(fetched.bytes) : fetched
    }
  }
}

const noGateways: Gateways = { ipfs: [], arweave: '' }

/** `work` on every item, at most `width` at a time; results in order. */
async function atOnce<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at]
      if (item !== undefined) results[at] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}

/** The store, opened as soon as a process has made it. */
type Requests = {
  readonly get: () => Promise<Database | undefined>
  readonly close: () => Promise<void>
}

/** Opens nothing yet. */
export function openRequests(location: StoreLocation): Requests {
  let store: Database | undefined
  return {
    get: async () => {
      try {
        store ??= await openStore(location, nftRequestStore, nftRequestTables, 'read')
      } catch (error) {
        if (faultOf(error)?.code !== 'store-failed') throw error
      }
      return store
    },
    close: async () => store?.close(),
  }
}
