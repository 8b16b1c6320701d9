/** A request of the Etherscan form: its parameters by name, and words for what is wrong with them. */

import { parseEvmAddress } from '../../core/address.ts'
import { fromHex, concatBytes, toBigint } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { loopTurn } from '../../core/loop-turn.ts'
import type { Contract } from '../../shape/operations/contract.ts'
import { indexedHeight } from '../../store/query/evm/heights.ts'
import { type Direction, type PosRange, posRange } from '../../store/query/evm/position.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { Input } from '../operation/operation.ts'

/** A question to one action. */
export type Query = Pick<Input<Contract>, 'caller' | 'charge' | 'signal'> & {
  readonly context: EvmContext
  readonly chain: ServedChain
  /** A parameter of the query or the form, without regard to case; `undefined`: absent or empty. */
  readonly of: (name: string) => string | undefined
}

/**
 * `result` of an answer; a list without entries is given as `NOTOK`-less `0`, see `etherscan.ts`.
 */
export type Result =
  | { readonly list: readonly unknown[]; readonly noun?: string }
  | { readonly value: unknown }
  /** The whole body, for actions that answer in JSON-RPC. */
  | {
      readonly body: {
        readonly jsonrpc: string
        readonly id: number
        readonly result?: unknown
        readonly error?: unknown
      }
    }

/** Answers one action. Throws faults, which become `NOTOK`. */
export type Action = (query: Query) => Promise<Result>

/** The most rows that pages may lead to. Source: Etherscan's documentation of its endpoints. */
const mostRows = 10_000

/** A parameter that must be there. Throws `bad-parameter`. */
export function needed({ of }: Query, name: string): string {
  const text = of(name)
  if (text === undefined) throw new Fault('bad-parameter', `Error! Missing ${name}`)
  return text
}

/** An address, 20 bytes. Throws `bad-parameter`. */
export function addressOf(query: Query, name: string): Uint8Array {
  return readAddress(needed(query, name))
}

/** As {@link addressOf} of text. */
export function readAddress(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new Fault('bad-parameter', `Error! Invalid address format: ${text.slice(0, 80)}`)
  return parseEvmAddress(text.toLowerCase())
}

/** A hash of 32 bytes. Throws `bad-parameter`. */
export function hashOf(query: Query, name: string): Uint8Array {
  const text = needed(query, name)
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new Fault('bad-parameter', `Error! Invalid ${name} format: ${text.slice(0, 80)}`)
  return fromHex(text)
}

/** A number, or `fallback` where it is absent. Throws `bad-parameter`. */
export function numberOf({ of }: Query, name: string, fallback: number): number {
  const text = of(name)
  if (text === undefined) return fallback
  if (!/^(\d{1,15}|0x[0-9a-fA-F]{1,12})$/.test(text))
    throw new Fault('bad-parameter', `Error! Invalid ${name}: ${text.slice(0, 80)}`)
  return Number(text)
}

/** The block that `tag` names; `undefined` for the newest. Throws `bad-parameter`. */
export function heightOfTag(query: Query): number | undefined {
  const tag = query.of('tag') ?? 'latest'
  if (tag === 'latest') return undefined
  return tag === 'earliest' ? 0 : numberOf(query, 'tag', 0)
}

/** Blocks of `[first, last]`, by the names of two parameters; `latest` is the newest. */
export function blocksOf(query: Query, first: string, last: string): PosRange {
  const endOf = (name: string): number | undefined =>
    query.of(name) === undefined || query.of(name) === 'latest'
      ? undefined
      : numberOf(query, name, 0)
  const [from, until] = [endOf(first), endOf(last)]
  if (from !== undefined && until !== undefined && from > until)
    throw new Fault('bad-parameter', `Error! ${first} is above ${last}`)
  return posRange(from, until === undefined ? undefined : until + 1)
}

/** Questions for rows of a list, in its order. */
export type Walk = {
  readonly range: PosRange
  readonly direction: Direction
  readonly limit: number
}

/** How the rows of a list are read, and shown. */
type RowsOf<R> = {
  readonly read: (walk: Walk) => Promise<readonly R[]>
  /** Positions alone, which cost a tenth; where absent, they are those of rows. */
  readonly places?: (walk: Walk) => Promise<readonly number[]>
  readonly shown: (rows: readonly R[]) => Promise<readonly object[]>
  /** Rows read and shown at once, by default so many as keep no other caller waiting. */
  readonly atOnce?: number
}

const rowsAtOnce = 100
const placesAtOnce = 1_000

/**
 * The entries of a page by `page`, `offset` and `sort`. The rows before it are walked by their positions, and 10,000
 * is the last row that any page has.
 */
export async function pageOf<R extends { readonly pos: number }>(
  query: Query,
  range: PosRange,
  { read, places, shown, atOnce = rowsAtOnce }: RowsOf<R>,
): Promise<object[]> {
  const offset = Math.min(numberOf(query, 'offset', mostRows), mostRows)
  const page = Math.max(numberOf(query, 'page', 1), 1)
  if (offset === 0 || page * offset > mostRows)
    throw new Fault(
      'bad-parameter',
      'Result window is too large, PageNo x Offset size must be less than or equal to 10000',
    )
  const direction = query.of('sort') ?? 'asc'
  if (direction !== 'asc' && direction !== 'desc')
    throw new Fault('bad-parameter', `Error! sort must be asc or desc: ${direction.slice(0, 80)}`)
  let rest = range
  /** Goes on by `count` rows, `most` at once, of which `next` gives the positions. Returns whether all are there. */
  const walk = async (
    count: number,
    most: number,
    next: (walk: Walk) => Promise<readonly number[]>,
  ): Promise<boolean> => {
    for (let left = count; left > 0;) {
      query.signal.throwIfAborted()
      await loopTurn.rest()
      const limit = Math.min(most, left)
      const found = await next({ range: rest, direction, limit })
      const last = found.at(-1)
      if (last === undefined || found.length < limit) return false
      rest = direction === 'asc' ? { ...rest, from: last + 1 } : { ...rest, until: last }
      left -= limit
    }
    return true
  }
  const placesOfRows = async (part: Walk): Promise<number[]> =>
    (await read(part)).map(({ pos }) => pos)
  const before = (page - 1) * offset
  const isThere =
    places === undefined
      ? await walk(before, atOnce, placesOfRows)
      : await walk(before, placesAtOnce, places)
  const entries: object[] = []
  if (!isThere) return entries
  await walk(offset, atOnce, async (part) => {
    const rows = await read(part)
    entries.push(...(await shown(rows)))
    return rows.map(({ pos }) => pos)
  })
  return entries
}

/** Blocks on top of a height and itself, as the newest indexed one has it. */
export async function confirmationsOf(chain: ServedChain): Promise<(height: number) => string> {
  const newest = await indexedHeight(chain.store, 'blocks')
  return (height) => String(Math.max(0, newest - height + 1))
}

// Questions to contracts that this form needs, in ABI encoding.

/** `totalSupply()`. */
export const totalSupplyCall = fromHex('18160ddd')

/** `balanceOf(address)`. */
export function balanceOfCall(holder: Uint8Array): Uint8Array {
  return concatBytes(fromHex('70a08231'), new Uint8Array(12), holder)
}

/** The number of an answer; `undefined` where it reverted or is none. */
export function uintAt(bytes: Uint8Array | undefined): bigint | undefined {
  return bytes === undefined || bytes.length < 32 ? undefined : toBigint(bytes.subarray(0, 32))
}
