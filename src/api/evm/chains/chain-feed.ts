/**
 * New blocks of a chain, their logs, and transactions that wait for a block, for all who subscribed to them.
 *
 * A block is told of once it is stored, so that who reads the API next finds it. Its header and its logs are read from
 * the node once, however many listen, and nothing is read while nobody does.
 */

import { to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import type { Clock } from '../../../core/world.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { indexedHeight } from '../../../store/query/evm/heights.ts'
import type { ChainRpc, ServedChain } from '../../operation/chain-directory.ts'

/** Between two looks at the stored height. */
const lookEveryMs = 200
/** Blocks of one look. */
const mostPerLook = 16
/** A chain that is indexed faster than its blocks are read here goes on with its newest block. */
const mostBehind = 256

/** Takes an element of a subscription, as JSON text. */
export type Tell = (text: string) => void

/** Logs that are wanted. Addresses and topics are `0x` and lower-case digits; none: any. */
export type LogFilter = {
  readonly addresses: ReadonlySet<string>
  /** Of each place those that fit. */
  readonly topics: readonly ReadonlySet<string>[]
}

/** Calls for all who listen end by the time limits of the source alone. */
const unhurried = new AbortController().signal

type Told = { readonly height: number; readonly hash: string }

/** The feed of one chain, for all listeners of a thread. */
export class ChainFeed {
  readonly #chain: ServedChain
  readonly #rpc: ChainRpc
  readonly #clock: Clock
  readonly #failed: (error: unknown) => void
  readonly #heads = new Set<Tell>()
  readonly #logs = new Map<Tell, LogFilter>()
  readonly #pending = new Set<Tell>()
  /** The node's filter of transactions that wait. */
  #filter: unknown
  #isRunning = false
  /** The block behind which the first listener is told of blocks. */
  #first: Told | undefined

  /** `failed` is called with what keeps blocks from being read; they are read again later. */
  constructor(
    chain: ServedChain,
    rpc: ChainRpc,
    { clock, failed }: { readonly clock: Clock; readonly failed: (error: unknown) => void },
  ) {
    this.#chain = chain
    this.#rpc = rpc
    this.#clock = clock
    this.#failed = failed
  }

  /** Resolves when it is known from which block on a new listener is told: all that come from now on. */
  async ready(): Promise<void> {
    if (!this.#isRunning) this.#first = await this.#newest()
  }

  /** Resolves once the node gathers transactions that wait. Rejects with `node-refused` where it does not. */
  async readyForPending(): Promise<void> {
    if (this.#pending.size === 0) this.#filter = await this.#newFilter()
  }

  /** Tells of each new block. Returns the function that ends this. */
  heads(tell: Tell): () => void {
    this.#heads.add(tell)
    this.#begin()
    return () => this.#heads.delete(tell)
  }

  /** Tells of each log of new blocks that fits. Returns the function that ends this. */
  logs(filter: LogFilter, tell: Tell): () => void {
    this.#logs.set(tell, filter)
    this.#begin()
    return () => this.#logs.delete(tell)
  }

  /** Tells of the hash of each transaction that waits from now on. Returns the function that ends this. */
  pending(tell: Tell): () => void {
    this.#pending.add(tell)
    this.#begin()
    return () => this.#pending.delete(tell)
  }

  #begin(): void {
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    let told = this.#first
    while (this.#heads.size + this.#logs.size + this.#pending.size > 0) {
      try {
        if (this.#pending.size > 0) await this.#lookForPending()
        told = await this.#look(told)
      } catch (error) {
        this.#failed(error)
      }
      await this.#clock.sleep(lookEveryMs).catch(() => undefined)
    }
    // Who subscribed at this moment goes on behind it.
    this.#first = told
    this.#isRunning = false
  }

  /** Tells of blocks after the one that was told of last. Returns the last one then. */
  async #look(before: Told | undefined): Promise<Told | undefined> {
    if (before === undefined) return this.#newest()
    const height = await indexedHeight(this.#chain.store, 'blocks')
    let told = before
    const from = await this.#nextAfter(told, height)
    const until = Math.min(height + 1, from + mostPerLook)
    for (let at = from; at < until; at++) {
      const block = await this.#at(at)
      const header = block && (await this.#headerOf(block))
      if (block === undefined || header === undefined) break
      const logs = this.#logs.size > 0 && hasLogs(header) ? await this.#logsOf(block) : []
      const text = JSON.stringify(header)
      for (const tell of this.#heads) tell(text)
      for (const log of logs) this.#tellLog(log)
      told = block
    }
    return told
  }

  async #lookForPending(): Promise<void> {
    const [changes] = await this.#rpc.call(
      [{ method: 'eth_getFilterChanges', params: [this.#filter] }],
      unhurried,
    )
    // Another node, or one that began anew, does not know the filter.
    if (changes?.kind !== 'result') this.#filter = await this.#newFilter()
    else if (Array.isArray(changes.result))
      for (const hash of changes.result)
        for (const tell of this.#pending) tell(JSON.stringify(hash))
  }

  async #newFilter(): Promise<unknown> {
    const [made] = await this.#rpc.call(
      [{ method: 'eth_newPendingTransactionFilter', params: [] }],
      unhurried,
    )
    if (made?.kind === 'result') return made.result
    throw new Fault('node-refused', 'no "newPendingTransactions" subscription in eth namespace')
  }

  /** The height to go on with. Blocks of a chain of development may be gone, and others be in their place. */
  async #nextAfter(told: Told, height: number): Promise<number> {
    const isGone =
      this.#chain.beginsAnew === true && (await this.#at(told.height))?.hash !== told.hash
    if (isGone) return Math.min(told.height, height)
    return height - told.height > mostBehind ? height : told.height + 1
  }

  async #newest(): Promise<Told | undefined> {
    return this.#at(await indexedHeight(this.#chain.store, 'blocks'))
  }

  async #at(height: number): Promise<Told | undefined> {
    const hash = await blockHashAt(this.#chain.store, height)
    return hash && { height, hash: to0x(hash) }
  }

  /** The header of a block, as nodes send it. `undefined` where the node has another block there, or none. */
  async #headerOf({ height, hash }: Told): Promise<Header | undefined> {
    const params = [`0x${height.toString(16)}`, false]
    const block = await this.#called('eth_getBlockByNumber', params)
    if (!isObject(block) || block['hash'] !== hash) return undefined
    return Object.fromEntries(Object.entries(block).filter(([name]) => !bodyMembers.has(name)))
  }

  async #logsOf({ hash }: Told): Promise<readonly unknown[]> {
    const logs = await this.#called('eth_getLogs', [{ blockHash: hash }])
    if (Array.isArray(logs)) return logs
    throw new Fault('node-answer', 'a node gives no list of logs')
  }

  async #called(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.#rpc.call([{ method, params }], unhurried)
    if (answer?.kind === 'result') return answer.result
    throw new Fault('node-answer', `a node refuses ${method}: ${answer?.error.message}`)
  }

  #tellLog(log: unknown): void {
    if (!isObject(log)) return
    const text = JSON.stringify(log)
    for (const [tell, filter] of this.#logs) if (fits(log, filter)) tell(text)
  }
}

type Header = Readonly<Record<string, unknown>>

/** Members of a block that are not of its header. Source: go-ethereum, `RPCMarshalBlock`; coreth. */
const bodyMembers: ReadonlySet<string> = new Set([
  'size',
  'transactions',
  'uncles',
  'totalDifficulty',
  'withdrawals',
  'blockExtraData',
])

/** Returns whether a block may have logs: a block without any has an empty filter. Source: Yellow Paper, 4.3.1. */
function hasLogs({ logsBloom }: Header): boolean {
  return typeof logsBloom !== 'string' || /[1-9a-f]/i.test(logsBloom.slice(2))
}

function fits(log: Readonly<Record<string, unknown>>, { addresses, topics }: LogFilter): boolean {
  const own: readonly unknown[] = Array.isArray(log['topics']) ? log['topics'] : []
  const isIn = (set: ReadonlySet<string>, value: unknown): boolean =>
    set.size === 0 || set.has(String(value).toLowerCase())
  return (
    isIn(addresses, log['address']) &&
    own.length >= topics.length &&
    topics.every((set, at) => isIn(set, own[at]))
  )
}
