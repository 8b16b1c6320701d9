/** A caller who reads lists page by page and asks for blocks while everything else happens. */

import type { Clock } from '../../src/core/world.ts'
import type { Draws } from '../support/processes/draws.ts'
import type { History } from './history.ts'
import {
  judgeBlock,
  judgeList,
  judgeTransaction,
  type ListQuestion,
  listQuestions,
  Wrong,
} from './oracle.ts'
import type { SimProcess } from './sim-process.ts'

/** Whom a caller asks. */
export type AskerParts = {
  readonly draws: Draws
  readonly clock: Clock
  readonly processes: () => readonly SimProcess[]
  /** True once the simulation is over. */
  readonly isOver: () => boolean
  /** Shared by all callers: the heights of answers before a request. */
  readonly heights: Heights
  /** Up to where blocks are proven by now; what is not proven may be taken away again. */
  readonly proven: () => number
  /** So many of the newest heights may be taken away again. */
  readonly mostTakenBack?: number
}

/** And what: a chain with a known history. */
export type CallerOptions = AskerParts & { readonly history: History }

/** The highest height that any answer has named so far, by stage; they never go back. */
export class Heights {
  answers = 0
  readonly #highest = new Map<string, number>()

  /** -1 before any answer. */
  of(stage: string): number {
    return this.#highest.get(stage) ?? -1
  }

  take(stage: string, height: number): void {
    this.answers++
    this.#highest.set(stage, Math.max(this.of(stage), height))
  }
}

/** An answer; its height is -1 where it names none. */
// oxlint-disable-next-line typescript/no-explicit-any -- JSON of the product, judged by the oracle
export type Answer = { readonly status: number; readonly indexedHeight: number; readonly body: any }

/** A caller gives a server so long, and tries another then. */
const patienceMs = 15_000
/** Answers that say: not now. */
const laterStatuses: readonly number[] = [503]

/** Asks until the simulation is over. Throws {@link Wrong}. */
export async function call(parts: CallerOptions): Promise<void> {
  const lists = listQuestions(parts.history)
  while (!parts.isOver()) {
    await parts.clock.sleep(parts.draws.between(20, 2_500))
    if (parts.draws.chance(0.7)) await readList(parts, parts.draws.pick(lists))
    else await lookUp(parts)
  }
}

/** Reads all of a list and judges it. Gives up where nobody answers any more. */
export async function readList(parts: CallerOptions, question: ListQuestion): Promise<boolean> {
  const { draws, clock, isOver } = parts
  const items: unknown[] = []
  const size = draws.between(1, 9)
  const stage = question.path.includes(':listInternals') ? 'traces' : 'blocks'
  let token: string | undefined
  let indexedHeight: number | undefined
  const proven = parts.proven()
  for (;;) {
    const next = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`
    const path = `${question.path}?pageSize=${size}${next}`
    const answer = await ask(parts, path, stage)
    if (answer === undefined) {
      if (isOver()) return false
      await clock.sleep(draws.between(100, 2_000))
      continue
    }
    if (answer.status !== 200)
      throw new Wrong(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    indexedHeight ??= answer.indexedHeight
    items.push(...answer.body.transactions)
    token = answer.body.nextPageToken
    if (token === undefined) break
    if (draws.chance(0.3)) await clock.sleep(draws.between(10, 4_000))
  }
  judgeList(question, { items, indexedHeight, proven })
  return true
}

/** Asks for a block or a transaction that exists. */
async function lookUp(parts: CallerOptions): Promise<void> {
  const { history, draws } = parts
  const at = `/v1/chains/${history.chainId}`
  const height = draws.below(history.blocks.length)
  const fact = draws.pick(history.transactions)
  const isBlock = draws.chance(0.5)
  const named = draws.chance(0.5) ? String(height) : (history.blocks[height]?.hash ?? '')
  const path = isBlock ? `${at}/blocks/${named}` : `${at}/transactions/${fact.txHash}`
  const before = parts.heights.of('blocks')
  const wanted = isBlock ? height : fact.height
  const isProven = wanted <= parts.proven()
  const answer = await ask(parts, path, 'blocks')
  if (answer === undefined) return
  if (answer.status === 404) {
    if (!isProven || wanted > Math.max(before, answer.indexedHeight)) return
    throw new Wrong(
      `${path} of height ${wanted} is 404 at ${answer.indexedHeight}, ${before} before`,
    )
  }
  if (answer.status !== 200)
    throw new Wrong(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  if (isBlock) judgeBlock(history, height, answer.body)
  else if (isProven) judgeTransaction(history, fact, answer.body)
}

/** One answer of any server; `undefined` where none is there, none answers, or all say later. */
export async function ask(
  parts: AskerParts,
  path: string,
  stage: string,
): Promise<Answer | undefined> {
  const { draws, clock, processes, heights } = parts
  const servers = processes().filter(({ life, http }) => !life.isDead && http() !== undefined)
  if (servers.length === 0) return undefined
  const http = draws.pick(servers).http()
  const before = heights.of(stage)
  const over = new AbortController()
  const reply = await Promise.race([
    http?.inject({ method: 'GET', url: path, headers: { host: 'localhost' } }),
    clock.sleep(patienceMs, over.signal).catch(() => undefined),
  ])
  over.abort()
  if (reply === undefined || laterStatuses.includes(reply.statusCode)) return undefined
  const named = reply.headers['x-indexed-height']
  const indexedHeight = named === undefined ? -1 : Number(named)
  if (reply.statusCode === 200 && indexedHeight < before)
    throw new Wrong(`${path} is complete up to ${indexedHeight}, after ${before} before`)
  const { mostTakenBack = 0 } = parts
  heights.take(stage, Math.min(indexedHeight - mostTakenBack, parts.proven()))
  return { status: reply.statusCode, indexedHeight, body: reply.json() }
}
