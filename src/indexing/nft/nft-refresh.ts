/** Reasons to read tokens again: logs of their contracts, and requests of callers. */

import { eventKinds } from '../../codec/evm/columns/columns.ts'
import { toBigint } from '../../core/bytes.ts'
import { placeOfStatus } from '../../core/nft-status.ts'
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Writer,
} from '../../store/engine/database.ts'
import { metaText, putMeta } from '../../store/meta.ts'
import { addressId } from '../../store/query/evm/addresses.ts'
import { nftMetadata } from '../../store/schema/nft.ts'
import { placesPerBlock } from '../../store/schema/sums.ts'
import { itemBytes } from './nft-queue.ts'

/** Names in `meta` under which the stream keeps how far it has read. */
const logsRead = 'nftLogsUntil'
const requestsRead = 'nftRequestsUntil'
const fetchingWas = 'nftFetching'

const logsAfter = statement(
  `select e.kind, e.address_id, e.topics, e.data, k.pos
   from event_by_kind k join event e on e.pos = k.pos
   where k.kind = ? and k.pos > ? and k.pos <= ? order by k.pos limit ?`,
  { over: 'oldest', within: { pos: [1, 2] } },
)
const requestsAfter = statement(
  `select contract, item, standard, requested_at from nft_request
   where chain = ? and requested_at > ? and requested_at <= ? order by requested_at limit 500`,
)
const newestRequest = statement('select max(requested_at) from nft_request where chain = ?', {
  together: true,
})
const makeDue = statement(
  `update nft_metadata set due = ?, attempts = 0
   where contract_id = ? and standard = ? and item >= ? and item <= ?`,
  { unsummed: true },
)
const makeUnfetchedDue = statement(
  'update nft_metadata set due = ?, attempts = 0 where status = ? and due is null',
  { unsummed: true },
)

/** Logs of a kind read at once. */
const logsAtOnce = 500

/** Positions without changes that are read again rather than noted: 1,000 blocks. */
const notedEvery = placesPerBlock * 1_000

/** Tokens of a contract that are to be read again. */
type Stale = {
  readonly contractId: number
  readonly standard: 721 | 1155
  first: bigint
  last: bigint
}

type Commit = (work: (writer: Writer) => Promise<void>) => Promise<void>

/**
 * Marks tokens due whose contracts logged that their metadata changed, up to block `height`.
 *
 * Source: ERC-1155 `URI`, ERC-4906 `MetadataUpdate` and `BatchMetadataUpdate`.
 */
export async function readLogs(
  store: Reader,
  commit: Commit,
  at: { readonly height: number; readonly nowSeconds: number },
): Promise<void> {
  const until = (at.height + 1) * placesPerBlock - 1
  const kept = await metaText(store, logsRead)
  // Changes logged before the first look are already in the answers of contracts.
  const after = kept === undefined ? until : Number(kept)
  const kinds = [eventKinds.uri, eventKinds.metadataUpdate, eventKinds.batchMetadataUpdate]
  const rows: Row[] = []
  let upTo = until
  for (const kind of kinds) {
    const found = await store.all(logsAfter, [kind, after, until, logsAtOnce])
    rows.push(...found)
    // A full answer may have left some out: go no further than it went.
    const last = found.length === logsAtOnce ? Number(found.at(-1)?.[4]) : until
    upTo = Math.min(upTo, last)
  }
  const stale = staleOf(rows.filter((row) => Number(row[4]) <= upTo))
  if (stale.length === 0 && kept !== undefined && upTo - after < notedEvery) return
  await commit(async (writer) => {
    for (const { contractId, standard, first, last } of stale)
      await writer.run(makeDue, [
        at.nowSeconds,
        contractId,
        standard,
        itemBytes(first),
        itemBytes(last),
      ])
    await putMeta(writer, { [logsRead]: String(upTo) })
  })
}

/**
 * One span per contract and standard: a contract that logs much makes no more work than one that
 * logs all.
 */
function staleOf(rows: readonly Row[]): Stale[] {
  const spans = new Map<string, Stale>()
  for (const row of rows) {
    const span = spanOf(row)
    if (span === undefined || span.first > span.last) continue
    const key = `${span.standard} ${span.contractId}`
    const known = spans.get(key)
    if (known === undefined) spans.set(key, span)
    else {
      if (span.first < known.first) known.first = span.first
      if (span.last > known.last) known.last = span.last
    }
  }
  return [...spans.values()]
}

function spanOf([kind, contract, topics, data]: Row): Stale | undefined {
  if (!(topics instanceof Uint8Array) || !(data instanceof Uint8Array)) return undefined
  const contractId = Number(contract)
  const word = (bytes: Uint8Array, at: number): bigint => toBigint(bytes.subarray(at, at + 32))
  if (kind === eventKinds.uri && topics.length === 32) {
    const item = word(topics, 0)
    return { contractId, standard: 1155, first: item, last: item }
  }
  if (kind === eventKinds.metadataUpdate && data.length >= 32) {
    const item = word(data, 0)
    return { contractId, standard: 721, first: item, last: item }
  }
  if (kind === eventKinds.batchMetadataUpdate && data.length >= 64)
    return { contractId, standard: 721, first: word(data, 0), last: word(data, 32) }
  return undefined
}

/**
 * Requests of callers are written by another clock and in other transactions: late ones are waited
 * for.
 */
const requestDelayMs = 100

/** When a caller last requested something of a chain, Unix milliseconds; 0 before. */
export async function lastRequest(
  requests: Database | undefined,
  chainKey: string,
): Promise<number> {
  return (await requests?.get(newestRequest, [chainKey]))?.[0] ?? 0
}

/** Marks tokens due that callers requested. */
export async function readRequests(
  store: Reader,
  requests: Database,
  at: { readonly chainKey: string; readonly nowMs: number; readonly commit: Commit },
): Promise<void> {
  const after = Number((await metaText(store, requestsRead)) ?? 0)
  const rows = await requests.all(requestsAfter, [at.chainKey, after, at.nowMs - requestDelayMs])
  const last = rows.at(-1)
  if (last === undefined) return
  await at.commit(async (writer) => {
    const nowSeconds = Math.floor(at.nowMs / 1_000)
    for (const [contract, item, standard] of rows) {
      const id = await addressId(writer, contract)
      if (id === undefined) continue
      const key = { contract_id: [id], standard: [standard], item: [item] }
      await writer.insertNew(nftMetadata, {
        ...key,
        uri: [''],
        status: [placeOfStatus('UNINDEXED')],
        updated: [nowSeconds],
        attempts: [0],
        due: [nowSeconds],
        fields: ['{}'],
        name: [''],
      })
      await writer.update(nftMetadata, { ...key, attempts: [0], due: [nowSeconds] })
    }
    await putMeta(writer, { [requestsRead]: String(last[3]) })
  })
}

/** Marks everything not fetched due once fetching is switched on. */
export async function noteFetching(
  store: Reader,
  commit: Commit,
  at: { readonly isOn: boolean; readonly nowSeconds: number },
): Promise<void> {
  const now = at.isOn ? 'on' : 'off'
  if ((await metaText(store, fetchingWas)) === now) return
  await commit(async (writer) => {
    if (at.isOn) await writer.run(makeUnfetchedDue, [at.nowSeconds, placeOfStatus('UNINDEXED')])
    await putMeta(writer, { [fetchingWas]: now })
  })
}
