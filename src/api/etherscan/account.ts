/** Module `account`: balances, transactions and transfers of an address. */

import { standardOf } from '../../codec/evm/columns/columns.ts'
import { Fault } from '../../core/fault.ts'
import { addressId } from '../../store/query/evm/addresses.ts'
import { createdContracts } from '../../store/query/evm/contracts.ts'
import {
  internalPlaces,
  type InternalRow,
  internalsOfAddress,
  internalsOfTransaction,
} from '../../store/query/evm/internals.ts'
import { heightOf, placeOf, posOfHeight } from '../../store/query/evm/position.ts'
import {
  gasUntil,
  transactionAt,
  transactionByHash,
  transactionPlaces,
  type TransactionRow,
  transactionsOfAddress,
} from '../../store/query/evm/transactions.ts'
import {
  transferPlaces,
  type TransferRow,
  transfersOfAddress,
  transfersOfToken,
} from '../../store/query/evm/transfers.ts'
import { decimalText, inputOf } from '../evm/answers.ts'
import { frameType, methodOf } from '../evm/transactions/transaction-views.ts'
import {
  balanceOfCall,
  uintAt,
  type Action,
  addressOf,
  type Query,
  blocksOf,
  confirmationsOf,
  hashOf,
  heightOfTag,
  needed,
  pageOf,
  readAddress,
  type Walk,
} from './query.ts'

const mostAddresses = 20

/** Actions by name. */
export const account: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['balance', balance],
  ['balancemulti', balances],
  ['tokenbalance', tokenBalance],
  ['txlist', transactions],
  ['txlistinternal', internals],
  ['tokentx', (query) => transfers(query, 20)],
  ['tokennfttx', (query) => transfers(query, 721)],
  ['token1155tx', (query) => transfers(query, 1155)],
])

type Listed = Awaited<ReturnType<Action>>

async function balance(query: Query): Promise<Listed> {
  const { chain, signal } = query
  const wei = await chain.state.balance(addressOf(query, 'address'), heightOfTag(query), signal)
  return { value: String(wei) }
}

async function balances(query: Query): Promise<Listed> {
  const { chain, signal } = query
  const all = needed(query, 'address')
    .split(',')
    .map((one) => one.trim())
  if (all.length > mostAddresses)
    throw new Fault('bad-parameter', `Error! at most ${mostAddresses} addresses`)
  const height = heightOfTag(query)
  const list = await Promise.all(
    all.map(async (text) => ({
      account: text,
      balance: String(await chain.state.balance(readAddress(text), height, signal)),
    })),
  )
  return { list }
}

async function tokenBalance(query: Query): Promise<Listed> {
  const { chain, signal } = query
  const token = addressOf(query, 'contractaddress')
  const call = balanceOfCall(addressOf(query, 'address'))
  const bytes = await chain.state.call(token, call, heightOfTag(query), signal)
  return { value: String(uintAt(bytes) ?? 0n) }
}

async function transactions(query: Query): Promise<Listed> {
  const { store } = query.chain
  const id = await addressId(store, addressOf(query, 'address'))
  const list = await pageOf<TransactionRow>(query, blocksOf(query, 'startblock', 'endblock'), {
    read: async (walk) =>
      id === undefined ? [] : transactionsOfAddress(store, { addressId: id, ...walk }),
    places: async (walk) =>
      id === undefined ? [] : transactionPlaces(store, { addressId: id, ...walk }),
    shown: async (rows) => shownTransactions(query, rows),
  })
  return { list, noun: 'transactions' }
}

async function shownTransactions(
  query: Query,
  rows: readonly TransactionRow[],
): Promise<readonly object[]> {
  const { chain, context } = query
  const created = await createdContracts(
    chain.store,
    rows.filter((row) => row.toId === undefined),
  )
  const named = await context
    .addressBooks(chain)
    .load(rows.flatMap((row) => [row.fromId, row.toId ?? created.get(row.pos) ?? row.fromId]))
  const textOf = (rich: number | undefined): string =>
    rich === undefined ? '' : named(rich).address.toLowerCase()
  const confirmations = await confirmationsOf(chain)
  return Promise.all(
    rows.map(async (row) => ({
      ...(await placeAndGas(query, row)),
      from: textOf(row.fromId),
      to: textOf(row.toId),
      value: decimalText(row.value),
      isError: row.status === 1 ? '0' : '1',
      txreceipt_status: String(row.status),
      input: await inputOf(chain, row),
      contractAddress: textOf(created.get(row.pos)),
      confirmations: confirmations(heightOf(row.pos)),
    })),
  )
}

/** Members that lists of transactions and of transfers share. */
async function placeAndGas(
  { chain, context }: Query,
  row: TransactionRow,
): Promise<Readonly<Record<string, string>>> {
  const { methodHash, methodName = '' } = methodOf(row, await context.methodNames([row.selector]))
  return {
    blockNumber: String(heightOf(row.pos)),
    timeStamp: String(row.timestamp),
    hash: row.hash,
    nonce: String(row.nonce),
    blockHash: row.blockHash,
    transactionIndex: String(placeOf(row.pos)),
    gas: decimalText(row.gasLimit),
    gasPrice: decimalText(row.gasPrice),
    gasUsed: String(row.gasUsed),
    cumulativeGasUsed: String(await gasUntil(chain.store, row.pos)),
    methodId: methodHash === '' ? '0x' : methodHash,
    functionName: methodHash === '' ? '' : methodName,
  }
}

async function internals(query: Query): Promise<Listed> {
  const { store } = query.chain
  const shown = async (rows: readonly InternalRow[]): Promise<readonly object[]> =>
    shownInternals(query, rows)
  if (query.of('txhash') !== undefined) {
    const found = await transactionByHash(store, hashOf(query, 'txhash'))
    const rows = found === undefined ? [] : await internalsOfTransaction(store, found.pos)
    return { list: await shown(rows), noun: 'transactions' }
  }
  const id = await addressId(store, addressOf(query, 'address'))
  const list = await pageOf(query, blocksOf(query, 'startblock', 'endblock'), {
    read: async (walk) =>
      id === undefined ? [] : internalsOfAddress(store, { addressId: id, ...walk }),
    places: async (walk) =>
      id === undefined ? [] : internalPlaces(store, { addressId: id, ...walk }),
    shown,
  })
  return { list, noun: 'transactions' }
}

async function shownInternals(
  { chain, context }: Query,
  rows: readonly InternalRow[],
): Promise<readonly object[]> {
  const named = await context
    .addressBooks(chain)
    .load(rows.flatMap((row) => (row.toId === undefined ? [row.fromId] : [row.fromId, row.toId])))
  return rows.map((row) => {
    const kind = frameType(row.kind)
    const creates = kind.startsWith('CREATE')
    const target = row.toId === undefined ? '' : named(row.toId).address.toLowerCase()
    return {
      blockNumber: String(heightOf(row.pos)),
      timeStamp: String(row.timestamp),
      hash: row.txHash,
      from: named(row.fromId).address.toLowerCase(),
      to: creates ? '' : target,
      value: decimalText(row.value),
      contractAddress: creates ? target : '',
      input: '',
      type: kind.toLowerCase(),
      gas: decimalText(row.gasLimit),
      gasUsed: String(row.gasUsed),
      traceId: String(placeOf(row.pos)),
      isError: row.reverted ? '1' : '0',
      errCode: '',
    }
  })
}

/** Of an address, of a token contract, or of both. */
async function transfers(query: Query, standard: 20 | 721 | 1155): Promise<Listed> {
  const { of } = query
  const { store } = query.chain
  const token =
    of('contractaddress') === undefined ? undefined : addressOf(query, 'contractaddress')
  const owner =
    token === undefined || of('address') !== undefined ? addressOf(query, 'address') : undefined
  const [ownerId, tokenId] = await Promise.all(
    [owner, token].map(async (one) => (one === undefined ? undefined : addressId(store, one))),
  )
  const isUnknown =
    (owner !== undefined && ownerId === undefined) || (token !== undefined && tokenId === undefined)
  const read = async (walk: Walk): Promise<readonly TransferRow[]> => {
    if (isUnknown) return []
    if (ownerId === undefined) return transfersOfToken(store, { tokenId: tokenId ?? 0, ...walk })
    return transfersOfAddress(store, { addressId: ownerId, standard, ...walk })
  }
  const fits = (row: TransferRow): boolean =>
    standardOf(row.kind) === standard && (tokenId === undefined || row.tokenId === tokenId)
  const list = await pageOf(query, blocksOf(query, 'startblock', 'endblock'), {
    read: (walk) => matching(walk, read, fits, query.signal),
    // Whether one fits that is of a token is seen in its row alone.
    ...(tokenId === undefined &&
      ownerId !== undefined && {
        places: (walk: Walk) => transferPlaces(store, { addressId: ownerId, standard, ...walk }),
      }),
    shown: async (rows) => shownTransfers(query, standard, rows),
  })
  return { list, noun: 'transactions' }
}

async function shownTransfers(
  query: Query,
  standard: 20 | 721 | 1155,
  rows: readonly TransferRow[],
): Promise<readonly object[]> {
  const { chain, context } = query
  const named = await context
    .addressBooks(chain)
    .load(rows.flatMap((row) => [row.fromId, row.toId, row.tokenId]))
  const confirmations = await confirmationsOf(chain)
  return Promise.all(
    rows.map(async (row) => {
      const txPos = posOfHeight(heightOf(row.pos)) + row.txIndex
      const transaction = await transactionAt(chain.store, txPos)
      const { erc20 } = named(row.tokenId)
      const item = row.item === undefined ? '' : decimalText(row.item)
      return {
        ...(transaction === undefined ? {} : await placeAndGas(query, transaction)),
        from: named(row.fromId).address.toLowerCase(),
        contractAddress: erc20.address.toLowerCase(),
        to: named(row.toId).address.toLowerCase(),
        tokenName: erc20.name,
        tokenSymbol: erc20.symbol,
        ...(standard === 20
          ? { value: decimalText(row.value), tokenDecimal: String(erc20.decimals ?? '') }
          : standard === 721
            ? { tokenID: item, tokenDecimal: '0' }
            : { tokenID: item, tokenValue: decimalText(row.value) }),
        logIndex: String(row.logIndex),
        input: 'deprecated',
        confirmations: confirmations(heightOf(row.pos)),
      }
    }),
  )
}

/** Rows that fit, read on until there are enough. */
async function matching(
  walk: Walk,
  read: (walk: Walk) => Promise<readonly TransferRow[]>,
  fits: (row: TransferRow) => boolean,
  signal: AbortSignal,
): Promise<TransferRow[]> {
  const found: TransferRow[] = []
  let { range } = walk
  while (found.length < walk.limit) {
    signal.throwIfAborted()
    const some = await read({ ...walk, range })
    found.push(...some.filter(fits))
    const last = some.at(-1)
    if (last === undefined || some.length < walk.limit) break
    range =
      walk.direction === 'asc' ? { ...range, from: last.pos + 1 } : { ...range, until: last.pos }
  }
  return found.slice(0, walk.limit)
}
