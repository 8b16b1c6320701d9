/** Modules about the chain: `transaction`, `block`, `logs`, `stats`, `gastracker`. */

import { Fault } from '../../core/fault.ts'
import { getCheckpoint } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import { latestBlocks } from '../../store/query/evm/blocks.ts'
import { heightAtTime, indexedHeight } from '../../store/query/evm/heights.ts'
import { type LogRow, logsMatching, topicsOf } from '../../store/query/evm/logs.ts'
import { heightOf, placeOf, posOfHeight, posRange } from '../../store/query/evm/position.ts'
import {
  latestTransactions,
  transactionAt,
  transactionByHash,
  type TransactionWithFees,
} from '../../store/query/evm/transactions.ts'
import { logStage } from '../../store/schema/logs.ts'
import { keptLogs } from '../evm/abi/list-logs.ts'
import { transactionDetail } from '../evm/transactions/get-transaction.ts'
import {
  totalSupplyCall,
  uintAt,
  type Action,
  addressOf,
  type Query,
  blocksOf,
  hashOf,
  needed,
  numberOf,
  pageOf,
  type Result,
} from './query.ts'

/** Module `transaction`. */
export const transaction: ReadonlyMap<string, Action> = new Map<string, Action>([
  [
    'getstatus',
    async (query) => {
      const { context, chain, signal } = query
      const row = await transactionOf(query)
      if (row.status === 1) return { value: { isError: '0', errDescription: '' } }
      const { nativeTransaction } = await transactionDetail(context, chain, row, { signal })
      const errDescription = nativeTransaction.revertReason?.message ?? 'execution reverted'
      return { value: { isError: '1', errDescription } }
    },
  ],
  [
    'gettxreceiptstatus',
    async (query) => ({ value: { status: String((await transactionOf(query)).status) } }),
  ],
])

async function transactionOf(query: Query): Promise<TransactionWithFees> {
  const row = await transactionByHash(query.chain.store, hashOf(query, 'txhash'))
  if (row === undefined) throw new Fault('not-found', 'transaction is not known here')
  return row
}

/** Module `block`. */
export const block: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['getblocknobytime', blockByTime],
])

async function blockByTime(query: Query): Promise<Result> {
  const { store } = query.chain
  needed(query, 'timestamp')
  const seconds = numberOf(query, 'timestamp', 0)
  const closest = needed(query, 'closest')
  const newest = await indexedHeight(store, 'blocks')
  if (closest === 'before') {
    const height = await heightAtTime(store, { seconds, newest })
    if (height >= 0) return { value: String(height) }
  } else if (closest === 'after') {
    const height = (await heightAtTime(store, { seconds: seconds - 1, newest })) + 1
    if (height <= newest) return { value: String(height) }
  } else throw new Fault('bad-parameter', 'Error! closest must be before or after')
  throw new Fault('bad-parameter', 'Error! No closest block found')
}

/** Module `logs`. */
export const logs: ReadonlyMap<string, Action> = new Map<string, Action>([['getLogs', findLogs]])

async function findLogs(query: Query): Promise<Result> {
  const { chain, of } = query
  const store = await keptLogs(chain)
  const height = (await getCheckpoint(store, logStage))?.height ?? -1
  const topics = [0, 1, 2, 3].map((at) =>
    of(`topic${at}`) === undefined ? undefined : [hashOf(query, `topic${at}`)],
  )
  if (['0_1', '1_2', '2_3', '0_2', '0_3', '1_3'].some((pair) => of(`topic${pair}_opr`) === 'or'))
    throw new Fault('bad-parameter', 'Error! topics are joined by and only here')
  const filter = {
    addresses: of('address') === undefined ? undefined : [addressOf(query, 'address')],
    topics,
  }
  const wanted = blocksOf(query, 'fromBlock', 'toBlock')
  const range = { ...wanted, until: Math.min(wanted.until, posOfHeight(height + 1)) }
  const list = await pageOf(query, range, {
    read: async (walk) => {
      const { direction: order, limit } = walk
      const found = await logsMatching(store, { filter, range: { ...walk.range, order }, limit })
      if (found.lookedTo !== undefined && found.rows.length < limit)
        throw new Fault(
          'bad-parameter',
          'Error! too many logs are looked through for this: narrow fromBlock and toBlock',
        )
      return found.rows
    },
    shown: async (rows) => shownLogs(chain.store, rows),
    // Each question looks through many that do not fit.
    atOnce: 1_000,
  })
  return { list, noun: 'records' }
}

async function shownLogs(store: Reader, rows: readonly LogRow[]): Promise<readonly object[]> {
  const transactions = await Promise.all(
    rows.map(({ pos, txIndex }) => transactionAt(store, posOfHeight(heightOf(pos)) + txIndex)),
  )
  return rows.flatMap((row, place) => {
    const own = transactions[place]
    // Its block was removed meanwhile.
    if (own === undefined) return []
    return {
      address: row.address,
      topics: topicsOf(row),
      data: row.data,
      blockNumber: hexOf(heightOf(row.pos)),
      blockHash: row.blockHash,
      timeStamp: hexOf(row.blockTimestamp),
      gasPrice: own.gasPrice === '0x' ? '0x0' : hexOf(BigInt(own.gasPrice)),
      gasUsed: hexOf(own.gasUsed),
      logIndex: hexOf(placeOf(row.pos)),
      transactionHash: row.txHash,
      transactionIndex: hexOf(row.txIndex),
    }
  })
}

function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** Module `stats`. */
export const stats: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['tokensupply', tokenSupply],
  ['ethprice', coinPrice],
])

async function tokenSupply(query: Query): Promise<Result> {
  const { chain, signal } = query
  const token = addressOf(query, 'contractaddress')
  const supply = uintAt(await chain.state.call(token, totalSupplyCall, undefined, signal))
  if (supply === undefined) throw new Fault('bad-parameter', 'this contract has no totalSupply')
  return { value: String(supply) }
}

async function coinPrice({ chain, context }: Query): Promise<Result> {
  const question = { chain: chain.facts, of: ['native'] as const }
  const [usd] = await context.prices.current({ ...question, currency: 'usd' })
  if (usd === undefined)
    throw new Fault('bad-parameter', 'no price of this coin is known here (setting prices)')
  const at = String(Math.floor(context.clock.now() / 1_000))
  return { value: { ethbtc: '', ethbtc_timestamp: at, ethusd: usd, ethusd_timestamp: at } }
}

/** Module `gastracker`. */
export const gastracker: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['gasoracle', gasOracle],
])

const oracleBlocks = 5
const oracleTransactions = 200

/** Base fee of the newest block, and tips as the newest transactions gave them: quarters, in gwei. */
async function gasOracle({ chain }: Query): Promise<Result> {
  const { store } = chain
  const newest = await indexedHeight(store, 'blocks')
  const blocks = await latestBlocks(store, { before: newest + 1, limit: oracleBlocks })
  const range = posRange(undefined, newest + 1)
  const rows = await latestTransactions(store, {
    status: undefined,
    range,
    limit: oracleTransactions,
  })
  const base = bigOf(blocks[0]?.baseFee ?? '0x')
  const tips = rows
    .map(({ gasPrice }) => bigOf(gasPrice) - base)
    .filter((tip) => tip >= 0n)
    .toSorted((a, b) => (a < b ? -1 : 1))
  const at = (share: number): string =>
    gwei(base + (tips[Math.floor(share * (tips.length - 1))] ?? 0n))
  return {
    value: {
      LastBlock: String(newest),
      SafeGasPrice: at(0.25),
      ProposeGasPrice: at(0.5),
      FastGasPrice: at(0.75),
      suggestBaseFee: gwei(base),
      gasUsedRatio: blocks
        .map(({ gasUsed, gasLimit }) => String(gasUsed / Number(gasLimit)))
        .join(','),
    },
  }
}

function bigOf(hex: string): bigint {
  return hex === '0x' ? 0n : BigInt(hex)
}

function gwei(wei: bigint): string {
  return String(Number(wei) / 1e9)
}
