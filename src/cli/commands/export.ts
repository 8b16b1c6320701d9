import type { Static } from 'typebox'

import {
  type ListColumn,
  listColumn,
  listFile,
  type ListFormat,
} from '../../api/operation/list-format.ts'
import { Fault } from '../../core/fault.ts'
import { membersOf } from '../../core/json.ts'
import { ownValue } from '../../core/own-value.ts'
import type { EvmBlock } from '../../shape/evm/evm-block.ts'
import type { InternalTransaction } from '../../shape/evm/internal-transaction.ts'
import type { Log } from '../../shape/evm/log.ts'
import type { NativeTransaction } from '../../shape/evm/native-transaction.ts'
import type { HistoricalReward } from '../../shape/primary/reward.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'
import { openWorld } from '../../world/world.ts'
import { ask, everyItem, type Api } from '../export/pages.ts'
import { openSink, type RowSink } from '../export/row-sink.ts'
import {
  blockRow,
  columnsOf,
  internalRow,
  logRow,
  primaryRows,
  rewardRow,
  transactionRow,
  transferRow,
  type Coin,
  type Row,
  type TokenTransfer,
} from '../export/rows.ts'
import { type Flags, momentIn, networkIn } from '../flags.ts'
import { addressIn } from '../running-firn.ts'

/** Moments `[from, until)` in Unix seconds. */
type Period = { readonly from: number; readonly until: number }

/** An export being made: where to ask, and what for. */
type Wanted = { readonly api: Api; readonly flags: Flags; readonly period: Period }

/** Subjects of an export; each gives the rows that the API lists. */
const subjects: Readonly<Record<keyof typeof columnsOf, (wanted: Wanted) => AsyncGenerator<Row>>> =
  {
    blocks,
    transactions,
    transfers,
    logs,
    internals,
    'primary-transactions': primaryTransactions,
    rewards,
  }

/**
 * Writes a list of a running Firn as CSV, JSON lines or Parquet.
 *
 * Reads it through the API, page by page, so that an export holds what the API answers, of the
 * same moment or newer, and works from anywhere.
 */
export async function exportRows(what: string, flags: Flags): Promise<void> {
  if (!isSubject(what))
    throw new Fault('bad-parameter', `export knows ${Object.keys(subjects).join(', ')}: ${what}`)
  const format = formatOf(flags['format'])
  const period = periodOf(flags)
  const url = await addressIn(flags, 'url')
  const world = openWorld()
  const api = {
    world,
    url,
    key: text(flags, 'key'),
  }
  try {
    await writeRows(subjects[what]({ api, flags, period }), {
      columns: columnsOf[what],
      format,
      path: text(flags, 'out'),
    })
  } finally {
    await world.close()
  }
}

/** The year asked for, else from one moment to another. Throws `bad-parameter`. */
function periodOf(flags: Flags): Period {
  const year = text(flags, 'year')
  if (year === undefined)
    return {
      from: momentIn(flags, 'from') ?? 0,
      until: momentIn(flags, 'until') ?? Number.POSITIVE_INFINITY,
    }
  if (text(flags, 'from') !== undefined || text(flags, 'until') !== undefined)
    throw new Fault('bad-parameter', '--year stands for --from and --until: give it alone')
  if (!/^20\d{2}$/.test(year))
    throw new Fault('bad-parameter', `--year must be a year like 2026: ${year}`)
  const start = (of: number): number => Date.UTC(of, 0, 1) / 1_000
  return { from: start(Number(year)), until: start(Number(year) + 1) }
}

function isSubject(what: string): what is keyof typeof subjects {
  return Object.hasOwn(subjects, what)
}

type Target = {
  readonly columns: readonly string[]
  readonly format: ListFormat
  /** Standard output where absent. */
  readonly path: string | undefined
}

async function writeRows(rows: AsyncGenerator<Row>, to: Target): Promise<void> {
  const { path, format } = to
  if (format === 'parquet' && path === undefined)
    throw new Fault('bad-parameter', 'a Parquet file is no stream: give its name with --out')
  // The file is made once the first page is there, so that a wrong question leaves none.
  const first = await rows.next()
  const sink: RowSink = await openSink(path)
  const file = await listFile(format, { columns: to.columns.map(columnOf) })
  await sink.write(file.begin())
  let count = 0
  for (let at = first; at.done !== true && !sink.closed(); at = await rows.next()) {
    await sink.write(file.rows([at.value]))
    count++
  }
  await sink.write(await file.end())
  await sink.end()
  console.error(`${count} rows${path === undefined ? '' : ` in ${path}`}`)
}

/** Values are texts, those of some columns of moments and of integers below 2^63. */
function columnOf(name: string): ListColumn {
  if (name === 'date' || name === 'stakedFrom') return { path: [name], type: 'moment' }
  const isCount = name === 'logIndex' || name === 'txCount'
  return listColumn([name], isCount ? 'integer' : undefined)
}

async function* blocks({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const chain = required(flags, 'chain')
  const path = `/v1/chains/${inPath(chain)}/blocks`
  const items = evmItems<EvmBlock>(api, path, { list: 'blocks', period })
  for await (const block of items) yield blockRow(block)
}

async function* transactions({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const chain = required(flags, 'chain')
  const { coin } = await chainOf(api, chain)
  const address = text(flags, 'address')
  const path =
    address === undefined
      ? `/v1/chains/${inPath(chain)}/transactions`
      : `/v1/chains/${inPath(chain)}/addresses/${inPath(address)}/transactions:listNative`
  const items = evmItems<NativeTransaction>(api, path, { list: 'transactions', period })
  for await (const tx of items) yield transactionRow(tx, coin)
}

async function* transfers({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const chain = required(flags, 'chain')
  const token = text(flags, 'token')
  if (token !== undefined) {
    const path = `/v1/chains/${inPath(chain)}/tokens/${inPath(token)}/transfers`
    const { chainId } = await chainOf(api, chain)
    const items = evmItems<TokenTransfer>(api, path, { list: 'transfers', period })
    for await (const transfer of items) yield transferRow(transfer, chainId)
    return
  }
  const address = required(flags, 'address')
  const { chainId } = await chainOf(api, chain)
  for (const standard of ['Erc20', 'Erc721', 'Erc1155']) {
    const path = `/v1/chains/${inPath(chain)}/addresses/${inPath(address)}/transactions:list${standard}`
    const items = evmItems<TokenTransfer>(api, path, { list: 'transactions', period })
    for await (const transfer of items) yield transferRow(transfer, chainId)
  }
}

async function* logs({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const chain = required(flags, 'chain')
  const { chainId } = await chainOf(api, chain)
  const address = text(flags, 'address')
  const query = address === undefined ? {} : { address }
  const path = `/v1/chains/${inPath(chain)}/logs`
  for await (const log of evmItems<Log>(api, path, { list: 'logs', period, query }))
    yield logRow(log, chainId)
}

async function* internals({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const chain = required(flags, 'chain')
  const address = required(flags, 'address')
  const { chainId, coin } = await chainOf(api, chain)
  const path = `/v1/chains/${inPath(chain)}/addresses/${inPath(address)}/transactions:listInternals`
  const items = evmItems<Static<typeof InternalTransaction>>(api, path, {
    list: 'transactions',
    period,
  })
  for await (const call of items) yield internalRow(call, chainId, coin)
}

async function* primaryTransactions({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const chain = required(flags, 'chain').toUpperCase().slice(0, 1)
  if (!'PXC'.includes(chain))
    throw new Fault('bad-parameter', `--chain must be P, X or C: ${chain}`)
  const addresses = text(flags, 'address')
  const own = addresses === undefined ? undefined : ownSet(addresses)
  const path = `/v1/networks/${inPath(networkIn(flags))}/blockchains/${chain.toLowerCase()}-chain/transactions`
  // The API takes bounds only with addresses.
  const query = addresses === undefined ? {} : { addresses, ...boundsOf(period) }
  for await (const item of everyItem(api, path, { list: 'transactions', query })) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API wrote it by this shape
    const tx = item as PrimaryNetworkTransaction
    // Newest first: what follows is older still, but before the X-Chain had blocks.
    if (tx.blockTimestamp < period.from && tx.chainFormat !== 'non-linear') return
    if (isWithin(tx.blockTimestamp, period)) yield* primaryRows(tx, chain, own)
  }
}

/** The API's bounds are open, ours half-open. */
function boundsOf({ from, until }: Period): Readonly<Record<string, string>> {
  return {
    ...(from === 0 ? {} : { startTimestamp: String(from - 1) }),
    ...(Number.isFinite(until) ? { endTimestamp: String(until) } : {}),
  }
}

async function* rewards({ api, flags, period }: Wanted): AsyncGenerator<Row> {
  const path = `/v1/networks/${inPath(networkIn(flags))}/rewards`
  const currency = text(flags, 'currency')
  const query = {
    addresses: required(flags, 'address'),
    ...(currency === undefined ? {} : { currency: currency.toLowerCase() }),
  }
  for await (const item of everyItem(api, path, { list: 'historicalRewards', query })) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API wrote it by this shape
    const reward = item as HistoricalReward
    if (isWithin(reward.endTimestamp, period)) yield rewardRow(reward)
  }
}

/**
 * Items of a list of an EVM chain, newest first.
 *
 * @yields those within the period; it ends before the first that is too old
 */
async function* evmItems<T extends { readonly blockTimestamp: number }>(
  api: Api,
  path: string,
  of: {
    readonly list: string
    readonly period: Period
    readonly query?: Readonly<Record<string, string>>
  },
): AsyncGenerator<T> {
  for await (const item of everyItem(api, path, { list: of.list, query: of.query ?? {} })) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own API wrote it by this shape
    const known = item as T
    if (known.blockTimestamp < of.period.from) return
    if (known.blockTimestamp < of.period.until) yield known
  }
}

function isWithin(moment: number, { from, until }: Period): boolean {
  return from <= moment && moment < until
}

/** A chain's EVM chain id, whatever it was called, and its coin. */
async function chainOf(
  api: Api,
  chain: string,
): Promise<{ readonly chainId: string; readonly coin: Coin }> {
  const { chainId, networkToken } = await ask(api, `/v1/chains/${inPath(chain)}`)
  const { symbol, decimals } = membersOf(networkToken)
  if (typeof chainId !== 'string' || typeof symbol !== 'string' || typeof decimals !== 'number')
    throw new Fault('node-answer', `the service does not say the id and coin of chain ${chain}`)
  return { chainId, coin: { symbol, decimals } }
}

/** Addresses as UTXOs show them: without the chain's letter. */
function ownSet(addresses: string): ReadonlySet<string> {
  const bare = addresses.split(',').map((address) => address.trim().replace(/^[PXC]-/i, ''))
  return new Set(bare.map((address) => address.toLowerCase()))
}

const inPath = encodeURIComponent

function formatOf(value: Flags[string]): ListFormat {
  if (value === undefined || value === 'csv') return 'csv'
  if (value === 'jsonl' || value === 'ndjson') return 'ndjson'
  if (value === 'parquet') return value
  throw new Fault('bad-parameter', `--format must be csv, ndjson or parquet: ${String(value)}`)
}

function text(flags: Flags, name: string): string | undefined {
  const value = ownValue(flags, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function required(flags: Flags, name: string): string {
  const value = text(flags, name)
  if (value === undefined) throw new Fault('bad-parameter', `this export needs --${name}`)
  return value
}
