/** Lists of interchain messages. */

import { parseEvmAddress, toChecksumAddress } from '../../core/address.ts'
import { concatBytes, equalBytes } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { networkOf, type networkNames } from '../../core/network.ts'
import { ListIcmMessages, ListIcmMessagesByAddress } from '../../shape/icm/list-messages.ts'
import type { ListSubject } from '../../store/query/icm/list-subject.ts'
import {
  listMessages,
  type MessagePlace,
  type MessageRow,
  placeOfMessage,
} from '../../store/query/icm/messages.ts'
import { operation, type Operation } from '../operation.ts'
import { bindingOf, numberCursor, type Page, readPage, nextToken } from '../paging.ts'
import { messageViews } from './message-view.ts'
import type { IcmParts } from './parts.ts'

/** Document B, endpoint 9. */
export function listIcmMessagesByAddress(parts: IcmParts): Operation {
  return operation(ListIcmMessagesByAddress, async ({ path, query }) => {
    const address = parseEvmAddress(path.address)
    const page = await messagePage(parts, {
      route: ListIcmMessagesByAddress.id,
      filters: { ...query, address: toChecksumAddress(address) },
      query,
      subject: { kind: 'address', address },
      matches: () => true,
    })
    return { body: { ...nextToken(page), messages: await messageViews(parts, page.rows) } }
  })
}

/** Neighbour of document B. */
export function listIcmMessages(parts: IcmParts): Operation {
  return operation(ListIcmMessages, async ({ query }) => {
    const wanted = {
      from: query.from === undefined ? undefined : parseEvmAddress(query.from),
      to: query.to === undefined ? undefined : parseEvmAddress(query.to),
      source: idOf('sourceBlockchainId', query.sourceBlockchainId),
      destination: idOf('destinationBlockchainId', query.destinationBlockchainId),
      either: idOf('blockchainId', query.blockchainId),
    }
    const page = await messagePage(parts, {
      route: ListIcmMessages.id,
      filters: query,
      query,
      subject: narrowest(wanted),
      matches: (row) => matchesAll(row, wanted),
    })
    return { body: { ...nextToken(page), messages: await messageViews(parts, page.rows) } }
  })
}

type Wanted = Readonly<
  Record<'from' | 'to' | 'source' | 'destination' | 'either', Uint8Array | undefined>
>

type PageQuery = {
  readonly pageToken?: string
  readonly pageSize?: number
  readonly network?: (typeof networkNames)[number]
}

type MessageList = {
  readonly route: string
  readonly filters: Readonly<Record<string, unknown>>
  readonly query: PageQuery
  readonly subject: ListSubject
  readonly matches: (row: MessageRow) => boolean
}

// A filter that almost nothing passes reads at most this many messages for one page.
const maxRead = 20_000
const readAtOnce = 200

async function messagePage(parts: IcmParts, list: MessageList): Promise<Page<MessageRow>> {
  const { query } = list
  const networks =
    query.network === undefined ? [0, 1] : [networkOf(query.network) === 'mainnet' ? 0 : 1]
  return readPage<MessageRow, MessagePlace>({
    tokens: parts.tokens,
    pageToken: query.pageToken,
    binding: bindingOf(list.route, list.filters),
    limit: query.pageSize ?? 10,
    encode: ({ timestamp, messageId }) => concatBytes(numberCursor.encode(timestamp), messageId),
    decode: (bytes) => ({
      timestamp: numberCursor.decode(bytes.subarray(0, 8)),
      messageId: bytes.slice(8),
    }),
    rows: (after, limit) => matching(parts, list, { networks, after, limit }),
    cursorOf: placeOfMessage,
  })
}

/** Messages of all wanted networks that match, newest first. */
async function matching(
  parts: IcmParts,
  list: MessageList,
  want: {
    readonly networks: readonly number[]
    readonly after: MessagePlace | undefined
    readonly limit: number
  },
): Promise<MessageRow[]> {
  const store = parts.messages()
  if (store === undefined) return []
  const found: MessageRow[] = []
  for (const network of want.networks) {
    let { after } = want
    let kept = 0
    for (let read = 0; read < maxRead && kept < want.limit; read += readAtOnce) {
      const limit = Math.max(readAtOnce, want.limit)
      const rows = await listMessages(store, { subject: list.subject, network, after, limit })
      const good = rows.filter(list.matches)
      found.push(...good)
      kept += good.length
      const last = rows[rows.length - 1]
      if (last === undefined || rows.length < limit) break
      after = placeOfMessage(last)
    }
  }
  return found.sort(newestFirst).slice(0, want.limit)
}

function newestFirst(a: MessageRow, b: MessageRow): number {
  const [left, right] = [placeOfMessage(a), placeOfMessage(b)]
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

function idOf(name: string, text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  try {
    return parseId(text)
  } catch (error) {
    throw new Fault(
      'bad-parameter',
      `${name} must be a blockchain id, cb58 or hex: ${text.slice(0, 80)}`,
      { cause: error },
    )
  }
}
