/** Logs of a chain by contract and topics, where the operator keeps them. */

import { toChecksumAddress } from '../../../core/address.ts'
import { fromHex, to0x } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import type { Log } from '../../../shape/evm/log.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import type { Database } from '../../../store/engine/database.ts'
import {
  type FoundLogs,
  type LogPlace,
  type LogRow,
  logsMatching,
  placesOfLogs,
} from '../../../store/query/evm/events.ts'
import { heightOf, placeOf, posOfHeight, posRange } from '../../../store/query/evm/position.ts'
import { logStage } from '../../../store/schema/logs.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type Input, operation, type Operation } from '../../operation/operation.ts'
import { requestedPage, numberCursor } from '../../operation/paging.ts'
import { hexText } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import type { AbiBook } from './abi-book.ts'

/**
 * Logs by contract and topics. Throws `not-found` for a chain whose logs are not kept, and
 * `not-ready` before the first of them is.
 */
export function listLogs({ chains, tokens, contracts }: EvmContext): Operation<'listLogs'> {
  return operation(EvmTransactions.listLogs, async ({ path, query, signal }) => {
    const chain = chains.find(path.chainId)
    const store = await keptLogs(chain)
    const height = (await getCheckpoint(store, logStage))?.height ?? -1
    const { sortOrder: order = 'desc' } = query
    const { after, limit, next } = requestedPage(tokens, {
      route: EvmTransactions.listLogs.id,
      subject: { chainId: chain.facts.key },
      query,
      ...numberCursor,
    })
    const range = posRange(query.startBlock, query.endBlock)
    const found = await logsMatching(store, {
      filter: filterOf(query),
      range: {
        from: after === undefined || order === 'desc' ? range.from : after + 1,
        until: Math.min(
          after === undefined || order === 'asc' ? range.until : after,
          posOfHeight(height + 1),
        ),
      },
      order,
      limit: limit + 1,
    })
    const { rows, last } = pageOf(found, limit)
    const addresses = rows.map(({ address }) => address)
    const logs = await viewsOf(chain, rows, await contracts.abisOf(chain, addresses, signal))
    return {
      body: { ...next(last), logs },
      headers: { 'x-logs-indexed-height': height < 0 ? 'none' : String(height) },
    }
  })
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

function filterOf(
  query: Input<typeof EvmTransactions.listLogs>['query'],
): Parameters<typeof logsMatching>[1]['filter'] {
  const { event } = query
  const topic0 =
    event === undefined ? query.topic0 : to0x(keccak256(new TextEncoder().encode(event)))
  const topics = [topic0, query.topic1, query.topic2, query.topic3]
  return {
    address: query.address === undefined ? undefined : fromHex(query.address),
    topics: topics.map((each) => (typeof each === 'string' ? fromHex(each) : undefined)),
  }
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

async function viewsOf(chain: ServedChain, rows: readonly LogRow[], abis: AbiBook): Promise<Log[]> {
  const places = rows.map(({ pos, txIndex }) => {
    const height = heightOf(pos)
    return { height, txPos: posOfHeight(height) + txIndex }
  })
  const found = await placesOfLogs(chain.store, places)
  return rows.flatMap((row, at) => {
    const place = found[at]
    return place === undefined ? [] : [viewOf(row, place, { chain, abis })]
  })
}

function viewOf(
  row: LogRow,
  place: LogPlace,
  { chain, abis }: { readonly chain: ServedChain; readonly abis: AbiBook },
): Log {
  const contract = { chainId: String(chain.facts.evmChainId), address: hexText(row.address) }
  const decoded = abis.log(contract, row.topics, row.data)
  const [topic0, topic1, topic2, topic3] = row.topics.map(hexText)
  return {
    blockNumber: String(heightOf(row.pos)),
    blockHash: hexText(place.blockHash),
    blockTimestamp: place.blockTimestamp,
    txHash: hexText(place.txHash),
    transactionIndex: row.txIndex,
    logIndex: placeOf(row.pos),
    address: toChecksumAddress(row.address),
    topic0,
    topic1,
    topic2,
    topic3,
    data: hexText(row.data),
    removed: false,
    decoded,
  }
}
