/**
 * `eth_getLogs` from stored rows, where the logs of a chain are kept: any range, as its node writes it.
 *
 * The node answers a filter that nodes take in different ways, and blocks that are not stored. The others are
 * answered here, in the form in which the node wrote the logs of one block. That form is looked at again every
 * {@link answersPerLook} answers; a node that writes another one answers by itself.
 */

import { equalBytes, fromHex, to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import { type Checkpoint, getCheckpoint } from '../../../store/checkpoint.ts'
import { type Reader, statement } from '../../../store/engine/database.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { firstHeight } from '../../../store/query/evm/heights.ts'
import { type LogFilter, type LogRow, oldestLogs, topicsOf } from '../../../store/query/evm/logs.ts'
import { heightOf, placeOf, posOfHeight } from '../../../store/query/evm/position.ts'
import { logStage } from '../../../store/schema/logs.ts'
import type { ChainRpc, RpcAnswer, ServedChain } from '../../operation/chain-directory.ts'
import { rpcCodes } from '../../operation/status.ts'

/** An answer of this server: a result as text and its length, or an error. */
export type OwnAnswer =
  | {
      readonly kind: 'text'
      readonly length: number
      /** A long one is read while it is taken. Throws `rows-refuted` where its end is not of the chain of its beginning. */
      readonly text: string | AsyncIterable<string>
    }
  | Extract<RpcAnswer, { readonly kind: 'error' }>

type Form = (row: LogRow) => string

const answersPerLook = 1_000

/** Addresses of a filter that AvalancheGo takes. */
const mostAddresses = 1_000

/** Answers from rows, for all chains. */
export class OwnLogs {
  readonly #forms = new Map<string, { readonly form: Promise<Form | undefined>; left: number }>()

  /**
   * The answer to `eth_getLogs`, of `most` bytes at most; `undefined` where the node is to give it. Beyond `mostHeld`
   * bytes it is counted, and read again as it is taken. Rejects with faults of stores and sources.
   */
  async answer(
    chain: ServedChain,
    params: readonly unknown[],
    limits: Limits,
  ): Promise<OwnAnswer | undefined> {
    const { signal } = limits
    const [given, ...others] = params
    // Rows of a chain of development may go while they are read.
    const isOwn = others.length === 0 && chain.beginsAnew !== true
    const asked = isOwn ? askedOf(given) : undefined
    const store = asked && (await chain.logs?.())
    if (asked === undefined || store === undefined) return undefined
    const heights = await storedHeights(chain, store, { asked, signal })
    const form = heights && (await this.#formOf(chain, store, signal))
    if (heights === undefined || form === undefined) return undefined
    const isStill = (): Promise<boolean> => isOfChain(chain, heights.stored)
    if (!(await isStill())) return undefined
    return answerOf({ ...heights, store, filter: asked.filter, form, isStill }, limits)
  }

  async #formOf(chain: ServedChain, store: Reader, signal: AbortSignal): Promise<Form | undefined> {
    const { key } = chain.facts
    let known = this.#forms.get(key)
    if (known === undefined || known.left === 0) {
      const form = formSeen(chain, store, signal).catch(() => undefined)
      known = { form, left: answersPerLook }
      this.#forms.set(key, known)
    }
    known.left--
    const form = await known.form
    // Nothing to look at yet, or a node that is away: the next call looks again.
    if (form === undefined) this.#forms.delete(key)
    return form
  }
}

type Limits = { readonly most: number; readonly mostHeld: number; readonly signal: AbortSignal }

/** Rows of an answer, and the function that says whether the chain still is the one that they are of. */
type Rows = Heights & {
  readonly store: Reader
  readonly filter: LogFilter
  readonly form: Form
  readonly isStill: () => Promise<boolean>
}

async function answerOf(
  rows: Rows,
  { most, mostHeld, signal }: Limits,
): Promise<OwnAnswer | undefined> {
  const { store, filter, form, from, until, later, isStill } = rows
  const held: string[] = []
  let heldTo = posOfHeight(from)
  let isHeld = true
  let length = 2
  const fits = (text: string): boolean => (length += text.length + 1) <= most
  const range = { from: heldTo, until: posOfHeight(until) }
  for await (const slice of oldestLogs(store, filter, range)) {
    signal.throwIfAborted()
    for (const row of slice) {
      const text = form(row)
      if (!fits(text)) return tooMuch(most, from, heightOf(row.pos))
      isHeld = held.length === 0 || length <= mostHeld
      if (!isHeld) continue
      held.push(text)
      heldTo = row.pos + 1
    }
  }
  if (!later.every(fits)) return tooMuch(most, from, until)
  // Rows of two states of the chain may be among them.
  if (!(await isStill())) return undefined
  const text = isHeld
    ? `[${[...held, ...later].join(',')}]`
    : readAgain(rows, held, oldestLogs(store, filter, { ...range, from: heldTo }))
  return { kind: 'text', length, text }
}

/** @yields a result, whose first logs are held */
async function* readAgain(
  { form, later, isStill }: Rows,
  held: readonly string[],
  others: AsyncIterable<readonly LogRow[]>,
): AsyncGenerator<string> {
  yield `[${held.join(',')}`
  for await (const slice of others)
    if (slice.length > 0) yield slice.map((row) => `,${form(row)}`).join('')
  // The part that was sent has no end then, and is no JSON.
  if (!(await isStill()))
    throw new Fault('rows-refuted', 'the chain was cut while its logs were sent')
  yield `${later.map((text) => `,${text}`).join('')}]`
}

type Asked = {
  readonly given: Readonly<Record<string, unknown>>
  readonly from: number
  /** Absent: the newest block. */
  readonly to: number | undefined
  readonly filter: LogFilter
}

type Heights = {
  readonly from: number
  readonly until: number
  /** The last block whose logs are stored. */
  readonly stored: Checkpoint
  /** Logs of later blocks, from the node, as texts. */
  readonly later: readonly string[]
}

/** Heights of a filter that rows answer; `undefined` where all of it is the node's. */
async function storedHeights(
  chain: ServedChain,
  store: Reader,
  { asked, signal }: { readonly asked: Asked; readonly signal: AbortSignal },
): Promise<Heights | undefined> {
  const { rpc } = chain
  const stored = await getCheckpoint(store, logStage)
  const first = await firstHeight(chain.store)
  if (stored === undefined || first === undefined || rpc === undefined) return undefined
  const { from, to } = asked
  const until = stored.height + 1
  if (from < first || from >= until || (to !== undefined && to < from)) return undefined
  if (to !== undefined && to < until) return { from, until: to + 1, stored, later: [] }
  const head = await headAfter(rpc, stored, signal)
  const last = to ?? head
  if (head === undefined || last === undefined || last > head) return undefined
  if (last < until) return { from, until, stored, later: [] }
  const filter = { ...asked.given, fromBlock: hexOf(until), toBlock: hexOf(last) }
  const later = await logsOfNode(rpc, filter, signal)
  return later && { from, until, stored, later: later.map((log) => JSON.stringify(log)) }
}

/** Returns whether the chain has the block at which rows end: they are cut only once it has another one there. */
async function isOfChain({ store }: ServedChain, { height, hash }: Checkpoint): Promise<boolean> {
  const now = hash && (await blockHashAt(store, height))
  return hash !== undefined && now !== undefined && equalBytes(now, hash)
}

async function logsOfNode(
  rpc: ChainRpc,
  filter: unknown,
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> {
  const [answer] = await rpc.call([{ method: 'eth_getLogs', params: [filter] }], signal)
  const logs = answer && resultOf(answer)
  return Array.isArray(logs) ? logs : undefined
}

/** Head of a node that has the block `stored`; `undefined` for one on another branch, or behind. */
async function headAfter(
  rpc: ChainRpc,
  { height, hash }: Checkpoint,
  signal: AbortSignal,
): Promise<number | undefined> {
  const calls = [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getBlockByNumber', params: [hexOf(height), false] },
  ]
  const [head, block] = (await rpc.call(calls, signal)).map(resultOf)
  if (!isObject(block) || hash === undefined || block['hash'] !== to0x(hash)) return undefined
  return typeof head === 'string' && Number(head) >= height ? Number(head) : undefined
}

/** A filter that every node takes in one way; `undefined` for others. */
function askedOf(given: unknown): Asked | undefined {
  if (!isObject(given)) return undefined
  const { fromBlock, toBlock, address, topics, ...others } = given
  const from = fromBlock === 'earliest' ? 0 : heightOfQuantity(fromBlock)
  const to = newest.has(toBlock) ? undefined : heightOfQuantity(toBlock)
  const isRange = from !== undefined && (to !== undefined || newest.has(toBlock))
  const addresses = bytesOf(address, 20)
  const places = placesOf(topics)
  const isPlain = isRange && Object.keys(others).length === 0
  if (!isPlain || addresses === undefined || places === undefined) return undefined
  if (addresses.length > mostAddresses) return undefined
  const filter = { addresses: someOf(addresses), topics: places.map(someOf) }
  return { given, from, to, filter }
}

const newest: ReadonlySet<unknown> = new Set([undefined, null, 'latest'])

/** Topics by their places, none for any; `undefined` for what is no such list. */
function placesOf(topics: unknown): readonly (readonly Uint8Array[])[] | undefined {
  if (topics === undefined || topics === null) return []
  if (!Array.isArray(topics) || topics.length > 4) return undefined
  const places = topics.map((topic: unknown) => bytesOf(topic, 32))
  // That a wildcard at the end wants a topic there is said by some nodes, and by some not.
  if (places.at(-1)?.length === 0) return undefined
  const known = places.filter((place) => place !== undefined)
  return known.length === places.length ? known : undefined
}

function someOf<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

function heightOfQuantity(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/i.test(value))
    return undefined
  return Number(value)
}

/** No, one or several byte strings, so long each; `undefined` for anything else. */
function bytesOf(given: unknown, length: number): readonly Uint8Array[] | undefined {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given ?? []].flat()
  const known = all.filter(
    (each): each is string =>
      typeof each === 'string' && each.length === 2 + length * 2 && /^0x[0-9a-f]*$/i.test(each),
  )
  return known.length === all.length ? known.map((each) => fromHex(each)) : undefined
}

const blockWithLogs = statement('select height from log_block order by height desc limit 1', {
  over: 'newest',
  stage: 'logs',
})

/** The form in which the node writes the newest stored block that has logs, if it is a known one. */
async function formSeen(
  { rpc }: ServedChain,
  store: Reader,
  signal: AbortSignal,
): Promise<Form | undefined> {
  const height = (await store.get(blockWithLogs))?.[0]
  if (typeof height !== 'number' || rpc === undefined) return undefined
  const filter = { fromBlock: hexOf(height), toBlock: hexOf(height) }
  const seen = JSON.stringify(await logsOfNode(rpc, filter, signal))
  const range = { from: posOfHeight(height), until: posOfHeight(height + 1), order: 'asc' } as const
  const rows: LogRow[] = []
  for await (const some of oldestLogs(store, { topics: [] }, range)) rows.push(...some)
  return forms.find((form) => `[${rows.map(form).join(',')}]` === seen)
}

/** Members of a log in the order of AvalancheGo 1.14.2 (coreth, subnet-evm), and in that of anvil 1.7.1. */
const forms: readonly Form[] = [
  (row) =>
    `{${contentOf(row)},"blockNumber":"${hexOf(heightOf(row.pos))}","transactionHash":"${row.txHash}",` +
    `"transactionIndex":"${hexOf(row.txIndex)}","blockHash":"${row.blockHash}",` +
    `"logIndex":"${hexOf(placeOf(row.pos))}","removed":false}`,
  (row) =>
    `{${contentOf(row)},"blockHash":"${row.blockHash}","blockNumber":"${hexOf(heightOf(row.pos))}",` +
    `"blockTimestamp":"${hexOf(row.blockTimestamp)}","transactionHash":"${row.txHash}",` +
    `"transactionIndex":"${hexOf(row.txIndex)}","logIndex":"${hexOf(placeOf(row.pos))}","removed":false}`,
]

function contentOf(row: LogRow): string {
  const topics = topicsOf(row).map((topic) => `"${topic}"`)
  return `"address":"${row.address}","topics":[${topics.join(',')}],"data":"${row.data}"`
}

/** In words by which clients choose a range that is answered. */
function tooMuch(most: number, from: number, height: number): OwnAnswer {
  const words =
    height > from
      ? `this block range should work: [${hexOf(from)}, ${hexOf(height - 1)}]`
      : 'ask for fewer contracts or topics'
  const message = `query returned more than ${most} bytes, ${words}`
  return { kind: 'error', error: { code: rpcCodes.tooMany, message } }
}

function resultOf(answer: RpcAnswer): unknown {
  return answer.kind === 'result' ? answer.result : undefined
}

function hexOf(value: number): string {
  return `0x${value.toString(16)}`
}
