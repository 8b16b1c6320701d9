/**
 * Pages over several readers of one store.
 *
 * A page token says how far the reader of its page was, so that the next page is read from one that
 * is as far: a reader that lags would skip rows without a sign. This part of a token is not sealed:
 * who changes it harms only the own list.
 */

import { fromHex, toHex } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import type { Position, Replicas } from '../../store/engine/replicas.ts'
import type { AnswerOf } from './send-answer.ts'

/** Behind a token of text stand a point and 16 bytes; behind one of UUIDs stands one more. */
const textEnd = /^(?<token>[^.]*)\.(?<position>[\w-]{22})$/
const uuidEnd =
  /^(?<token>[0-9a-f-]{36,})-(?<position>f19e5eed-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/
/** Begins the bytes of a position. */
const mark = fromHex('f19e5eed')

/** A token, and where its page was read. */
export type PlacedToken = {
  readonly token: string
  /** Hash of the server's number, and the place in its log. */
  readonly position?: { readonly serverHash: string; readonly place: bigint }
}

/** Takes a token apart. */
export function takenApart(token: string): PlacedToken {
  const groups = (textEnd.exec(token) ?? uuidEnd.exec(token))?.groups
  if (groups === undefined) return { token }
  const { token: plain = '', position = '' } = groups
  const bytes = position.length === 22 ? Buffer.from(position, 'base64url') : hexOf(position)
  return {
    token: plain,
    position: {
      serverHash: toHex(bytes.subarray(4, 8)),
      place: Buffer.from(bytes.subarray(8)).readBigUInt64BE(),
    },
  }
}

/** `token` with the place where its page was read. */
export function withPosition(token: string, { server, place }: Position): string {
  const bytes = Buffer.alloc(16)
  bytes.set(mark)
  bytes.set(fromHex(hashOf(server)), 4)
  bytes.writeBigUInt64BE(place, 8)
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(token)) return `${token}.${bytes.toString('base64url')}`
  const hex = bytes.toString('hex')
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return [token, ...groups, hex.slice(20)].join('-')
}

/** Finds a reader for the page that a token asks for. Throws `not-ready` when none is as far. */
export async function reachToken(readings: Replicas, token: unknown): Promise<void> {
  const position = typeof token === 'string' ? takenApart(token).position : undefined
  if (position === undefined) return
  await readings.reach(position.place, (server) => hashOf(server) === position.serverHash)
}

/** `query` with the token as it was sealed. */
export function plainQuery<Q>(query: Q): Q {
  if (typeof query !== 'object' || query === null || !('pageToken' in query)) return query
  const { pageToken } = query
  return typeof pageToken === 'string'
    ? { ...query, pageToken: takenApart(pageToken).token }
    : query
}

/** `answer`, whose token says where it was read. */
export async function placedAnswer(readings: Replicas, answer: AnswerOf): Promise<AnswerOf> {
  const { body } = answer
  const token: unknown = Reflect.get(Object(body), 'nextPageToken')
  if (typeof token !== 'string') return answer
  const position = await readings.position()
  if (position === undefined) return answer
  const { indexedHeight, headers, immutable } = answer
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one text in place of another
    body: { ...Object(body), nextPageToken: withPosition(token, position) } as never,
    indexedHeight,
    headers,
    immutable,
  }
}

function hashOf(server: string): string {
  return toHex(sha256(Buffer.from(server)).subarray(0, 4))
}

function hexOf(uuid: string): Uint8Array {
  return fromHex(uuid.replaceAll('-', ''))
}
