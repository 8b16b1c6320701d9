/** Lists of interchain messages, and one message. */

import { struct } from '../../codec/kit.ts'
import { f64, fixed } from '../../codec/primitives.ts'
import { parseEvmAddress, toChecksumAddress } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { networkNames } from '../../core/network.ts'
import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import { Icm } from '../../shape/operations/icm.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { ListSubject } from '../../store/query/icm/list-subject.ts'
import {
  listMessages,
  type MessagePlace,
  type MessageRow,
  placeOfMessage,
} from '../../store/query/icm/messages.ts'
import { type Input, operation, type Operation } from '../operation/operation.ts'
import { requestedPage, cursorOf, type Page, nextToken } from '../operation/paging.ts'
import type { IcmContext } from './icm-context.ts'
import { messageViews, toldMessages } from './message-view.ts'
import { blockchainIdOf, networkNumbers } from './parameters.ts'

/** Document B, endpoint 9. */
export function listIcmMessagesByAddress(
  context: IcmContext,
): Operation<'listIcmMessagesByAddress'> {
  return operation(Icm.listIcmMessagesByAddress, async (input) => ({
    body: await messagesOfAddress(context, Icm.listIcmMessagesByAddress.id, input),
  }))
}

/** A page of messages. */
export type MessageList = { readonly nextPageToken?: string; readonly messages: IcmMessage[] }

/** Messages from or to an address, for the operation `route`. */
export async function messagesOfAddress(
  context: IcmContext,
  route: string,
  {
    path,
    query,
    signal,
  }: Pick<Input<typeof Icm.listIcmMessagesByAddress>, 'path' | 'query' | 'signal'>,
): Promise<MessageList> {
  const address = parseEvmAddress(path.address)
  const page = await messagePage(context, {
    route,
    filters: { ...query, address: toChecksumAddress(address) },
    query,
    subject: { kind: 'address', address },
    matches: () => true,
  })
  return { ...nextToken(page), messages: await viewsOf(context, page.rows, query, signal) }
}

async function viewsOf(
  context: IcmContext,
  rows: readonly MessageRow[],
  { summaries }: { readonly summaries?: boolean | undefined },
  signal: AbortSignal,
): Promise<IcmMessage[]> {
  const views = await messageViews(context, rows)
  return summaries === true ? toldMessages(context, rows, views, signal) : views
}

/** Neighbour of document B. */
export function listIcmMessages(context: IcmContext): Operation<'listIcmMessages'> {
  return operation(Icm.listIcmMessages, async ({ query, signal }) => ({
    body: await messagesOf(context, Icm.listIcmMessages.id, query, signal),
  }))
}

/** Messages by what the caller filters, for the operation `route`. */
export async function messagesOf(
  context: IcmContext,
  route: string,
  query: Input<typeof Icm.listIcmMessages>['query'],
  signal: AbortSignal,
): Promise<MessageList> {
  const wanted = {
    from: query.from === undefined ? undefined : parseEvmAddress(query.from),
    to: query.to === undefined ? undefined : parseEvmAddress(query.to),
    source: blockchainIdOf('sourceBlockchainId', query.sourceBlockchainId),
    destination: blockchainIdOf('destinationBlockchainId', query.destinationBlockchainId),
    either: blockchainIdOf('blockchainId', query.blockchainId),
  }
  const page = await messagePage(context, {
    route,
    filters: query,
    query,
    subject: narrowest(wanted),
    matches: (row) => matchesAll(row, wanted),
  })
  return { ...nextToken(page), messages: await viewsOf(context, page.rows, query, signal) }
}

type Wanted = Readonly<
  Record<'from' | 'to' | 'source' | 'destination' | 'either', Uint8Array | undefined>
>

type ListRequest = {
  readonly route: string
  readonly filters: Readonly<Record<string, unknown>>
  readonly query: {
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
    readonly network?: (typeof networkNames)[number] | undefined
  }
  readonly subject: ListSubject
  readonly matches: (row: MessageRow) => boolean
}

// A filter that almost nothing passes reads at most this many messages of a network for one page,
// which then ends early, with a token to go on.
const maxRead = 20_000

const readAtOnce = 200

const placeCursor = cursorOf<MessagePlace>(struct({ timestamp: f64, messageId: fixed(32) }))

async function messagePage(
  { tokens, messages }: IcmContext,
  { route, filters, query, subject, matches }: ListRequest,
): Promise<Page<MessageRow>> {
  const { pageToken, pageSize } = query
  const { after, limit, next } = requestedPage(tokens, {
    route,
    subject: filters,
    query: { pageToken, pageSize },
    ...placeCursor,
  })
  const networks = networkNumbers(query.network)
  const store = messages()
  const found =
    store === undefined
      ? { rows: [] }
      : await matching(store, { subject, matches, networks, after, limit: limit + 1 })
  const rows = found.rows.slice(0, limit)
  const last = rows.at(-1)
  return { rows, ...next(found.rows.length > limit && last ? placeOfMessage(last) : found.end) }
}

type MessageQuery = Pick<ListRequest, 'subject' | 'matches'> & {
  readonly after: MessagePlace | undefined
  readonly limit: number
}

/** Messages that match, newest first; `end` is where reading ended before the list did. */
type Matching = { readonly rows: readonly MessageRow[]; readonly end?: MessagePlace }

/** Messages of all `networks`: where one ended early, the others end too. */
async function matching(
  store: Reader,
  { networks, ...query }: MessageQuery & { readonly networks: readonly number[] },
): Promise<Matching> {
  const lists = await Promise.all(networks.map((network) => matchingOn(store, network, query)))
  const rows = lists
    .flatMap((list) => list.rows)
    .sort((a, b) => newestFirst(placeOfMessage(a), placeOfMessage(b)))
  const [end] = lists.flatMap((list) => list.end ?? []).sort(newestFirst)
  if (end === undefined) return { rows }
  return { rows: rows.filter((row) => newestFirst(placeOfMessage(row), end) <= 0), end }
}

async function matchingOn(
  store: Reader,
  network: number,
  { subject, matches, limit, ...from }: MessageQuery,
): Promise<Matching> {
  const rows: MessageRow[] = []
  let { after } = from
  const atOnce = Math.max(readAtOnce, limit)
  for (let read = 0; read < maxRead; read += atOnce) {
    const some = await listMessages(store, { subject, network, after, limit: atOnce })
    rows.push(...some.filter(matches))
    const last = some.at(-1)
    if (last === undefined || some.length < atOnce || rows.length >= limit) return { rows }
    after = placeOfMessage(last)
  }
  return after === undefined ? { rows } : { rows, end: after }
}

function newestFirst(left: MessagePlace, right: MessagePlace): number {
  if (left.timestamp !== right.timestamp) return right.timestamp - left.timestamp
  return Buffer.compare(right.messageId, left.messageId)
}

/** The list that holds the fewest messages besides those wanted. */
function narrowest({ from, to, source, destination, either }: Wanted): ListSubject {
  if (from !== undefined) return { kind: 'sender', address: from }
  if (to !== undefined) return { kind: 'recipient', address: to }
  if (source !== undefined) return { kind: 'source', blockchainId: source }
  if (destination !== undefined) return { kind: 'destination', blockchainId: destination }
  return either === undefined ? { kind: 'all' } : { kind: 'blockchain', blockchainId: either }
}

function matchesAll(row: MessageRow, wanted: Wanted): boolean {
  const end = row.sent ?? row.received
  if (end === undefined) return false
  const same = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
    a === undefined || equalBytes(a, b)
  return (
    same(wanted.from, end.sender) &&
    same(wanted.to, end.recipient) &&
    same(wanted.source, end.sourceId) &&
    same(wanted.destination, end.destinationId) &&
    (same(wanted.either, end.sourceId) || same(wanted.either, end.destinationId))
  )
}
