/** Logs of a chain by contract and topics, where the operator keeps them. */

import { entryOfText } from '../../../codec/evm/abi/abi-encode.ts'
import { toChecksumAddress } from '../../../core/address.ts'
import { clip, fromHex, to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { Log } from '../../../shape/evm/log.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import type { Database } from '../../../store/engine/database.ts'
import {
  type FoundLogs,
  type LogFilter,
  type LogRow,
  logsMatching,
  topicsOf,
} from '../../../store/query/evm/logs.ts'
import { heightOf, placeOf, posOfHeight, posRange } from '../../../store/query/evm/position.ts'
import { transactionAt } from '../../../store/query/evm/transactions.ts'
import { logStage } from '../../../store/schema/logs.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type Input, operation, type Operation } from '../../operation/operation.ts'
import type { PageTokens } from '../../operation/page-token.ts'
import { requestedPage, numberCursor } from '../../operation/paging.ts'
import type { EvmContext } from '../evm-context.ts'
import { labelledLogs, type RichAddressBook } from '../rich-addresses.ts'
import type { AbiBook } from './abi-book.ts'
import type { Moved } from './amounts.ts'
import { movedBy } from './moved.ts'

/**
 * Logs by contract and topics. Throws `not-found` for a chain whose logs are not kept, and
 * `not-ready` before the first of them is.
 */
export function listLogs({
  chains,
  tokens,
  contracts,
  addressBooks,
}: EvmContext): Operation<'listLogs'> {
  return operation(EvmTransactions.listLogs, async ({ path, query, signal }) => {
    const chain = chains.find(path.chainId)
    const route = EvmTransactions.listLogs.id
    const topics = [firstTopicOf(query), query.topic1, query.topic2, query.topic3]
    const { rows, next, headers } = await logPage(tokens, {
      chain,
      query,
      filter: {
        addresses: query.address === undefined ? undefined : [fromHex(query.address)],
        topics: topics.map((each) => (typeof each === 'string' ? [fromHex(each)] : undefined)),
      },
      list: { route, subject: { chainId: chain.facts.key } },
    })
    const addresses = rows.map(({ address }) => fromHex(address))
    const abis = await contracts.abisOf(chain, addresses, signal)
    const { evmChainId } = chain.facts
    const logs = rows.map((row) => viewOf(row, String(evmChainId), abis))
    const book = addressBooks(chain)
    const moved =
      query.amounts === true ? await movedByAll(chain, book, rows, signal) : () => undefined
    return { body: { ...next, logs: await labelledLogs(book, logs, moved) }, headers }
  })
}

/** The topic of `event`, else `topic0`. Throws `bad-parameter` for an event that is none or has another topic. */
function firstTopicOf({
  event,
  topic0,
}: Input<typeof EvmTransactions.listLogs>['query']): string | undefined {
  if (event === undefined) return topic0
  const entry = entryOfText('event', event)
  if (entry === undefined)
    throw new Fault('bad-parameter', `event has a type that is none: ${clip(event)}`)
  const topic = to0x(entry.hash)
  if (topic0 !== undefined && topic0.toLowerCase() !== topic)
    throw new Fault('bad-parameter', `event has another topic than topic0: ${topic}`)
  return topic
}

/** A page of logs may be of as many transactions, and a block's gas pays for fifteen thousand transfers in one. */
const mostMoves = 1_000

/** Finds what the transaction of a log moved by the place of the log in `rows`. */
async function movedByAll(
  chain: ServedChain,
  book: RichAddressBook,
  rows: readonly LogRow[],
  signal: AbortSignal,
): Promise<(at: number) => Moved | undefined> {
  const places = rows.map(({ pos, txIndex }) => posOfHeight(heightOf(pos)) + txIndex)
  const all = new Map<number, Moved>()
  // One after the other: each may have moved a thousand times.
  for (const place of new Set(places)) {
    signal.throwIfAborted()
    const row = await transactionAt(chain.store, place)
    if (row !== undefined) all.set(place, await movedBy(chain, book, { ...row, most: mostMoves }))
  }
  return (at) => all.get(itemAt(places, at))
}

/** Which logs of a chain are wanted. */
type LogList = {
  readonly chain: ServedChain
  readonly query: Pick<
    Input<typeof EvmTransactions.listLogs>['query'],
    'startBlock' | 'endBlock' | 'sortOrder' | 'pageToken' | 'pageSize'
  >
  readonly filter: LogFilter
  /** A page token is bound to these, besides the query. */
  readonly list: { readonly route: string; readonly subject: Readonly<Record<string, unknown>> }
}

/** A page of logs, its next token, and the header that says how far they are kept. Throws as {@link listLogs}. */
export async function logPage(
  tokens: PageTokens,
  { chain, query, filter, list }: LogList,
): Promise<{
  readonly rows: readonly LogRow[]
  readonly next: { readonly nextPageToken?: string }
  readonly headers: Readonly<Record<string, string>>
}> {
  const store = await keptLogs(chain)
  const height = (await getCheckpoint(store, logStage))?.height ?? -1
  const { sortOrder: order = 'desc' } = query
  const { after, limit, next } = requestedPage(tokens, { ...list, query, ...numberCursor })
  const range = posRange(query.startBlock, query.endBlock)
  const found = await logsMatching(store, {
    filter,
    range: {
      from: after === undefined || order === 'desc' ? range.from : after + 1,
      until: Math.min(
        after === undefined || order === 'asc' ? range.until : after,
        posOfHeight(height + 1),
      ),
      order,
    },
    limit: limit + 1,
  })
  const { rows, last } = pageOf(found, limit)
  const headers = { 'x-logs-indexed-height': height < 0 ? 'none' : String(height) }
  return { rows, next: next(last), headers }
}

/** The store of a chain's logs. Throws `not-found` where they are not kept, `not-ready` before the first is. */
export async function keptLogs(chain: ServedChain): Promise<Database> {
  if (chain.logs === undefined)
    throw new Fault(
      'not-found',
      `logs of this chain are not kept (setting logs: on of the chain); those of a transaction are at …/transactions/{txHash}/logs: ${chain.facts.name}`,
    )
  const store = await chain.logs()
  if (store === undefined)
    throw new Fault('not-ready', `no log of this chain is stored yet: ${chain.facts.name}`)
  return store
}

/** The rows of a page, and where the next one begins; a page may be short where few logs pass. */
function pageOf(
  { rows, lookedTo }: FoundLogs,
  limit: number,
): { readonly rows: readonly LogRow[]; readonly last: number | undefined } {
  if (rows.length <= limit) return { rows, last: lookedTo }
  const page = rows.slice(0, limit)
  return { rows: page, last: page.at(-1)?.pos }
}

function viewOf(row: LogRow, chainId: string, abis: AbiBook): Log {
  const { address } = row
  const topics = topicsOf(row)
  const decoded = abis.log(
    { chainId, address },
    topics.map((topic) => fromHex(topic)),
    fromHex(row.data),
  )
  const [topic0, topic1, topic2, topic3] = topics
  return {
    blockNumber: String(heightOf(row.pos)),
    blockHash: row.blockHash,
    blockTimestamp: row.blockTimestamp,
    txHash: row.txHash,
    transactionIndex: row.txIndex,
    logIndex: placeOf(row.pos),
    address: toChecksumAddress(fromHex(address)),
    topic0,
    topic1,
    topic2,
    topic3,
    data: row.data,
    removed: false,
    decoded,
  }
}
