/** Describes an EVM transaction as the event `address_activity`. */

import { standardOf } from '../../codec/evm/columns/columns.ts'
import { withPoint } from '../../core/text.ts'
import type { WatchedEvent, Webhook } from '../../store/query/events/webhooks.ts'
import { type InternalRow, internalsOfTransaction } from '../../store/query/evm/internals.ts'
import { heightOf, placeOf } from '../../store/query/evm/position.ts'
import {
  gasUntil,
  transactionAt,
  type TransactionWithFees,
} from '../../store/query/evm/transactions.ts'
import { type TransferRow, transfersOfTransaction } from '../../store/query/evm/transfers.ts'
import { decimalText, inputOf } from '../evm/answers.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import type { Named, RichAddressEntry } from '../evm/rich-addresses.ts'
import {
  type LogInWords,
  logsInWords,
  receiptLogs,
} from '../evm/transactions/list-transaction-calls.ts'
import { toldTransaction } from '../evm/transactions/told-transactions.ts'
import { frameType } from '../evm/transactions/transaction-views.ts'
import type { ServedChain } from '../operation/chain-directory.ts'

type Fields = Readonly<Record<string, unknown>>

/** Receipts of blocks before the Byzantium fork had a root here. */
const noRoot = `0x${'00'.repeat(32)}`
const nobody = `0x${'00'.repeat(20)}`

/**
 * The event of the transaction at `pos`; none when the webhook wants other signatures than it
 * logged. Throws `not-served` when logs are wanted and no node gives them now.
 */
export async function evmEvents(
  context: EvmContext,
  {
    webhook,
    chain,
    pos,
  }: { readonly webhook: Webhook; readonly chain: ServedChain; readonly pos: number },
  signal: AbortSignal,
): Promise<readonly Fields[]> {
  const { eventSignatures, includeLogs, includeInternalTxs, event, watched } = webhook.body
  const row = await transactionAt(chain.store, pos)
  if (row === undefined) return []
  const needsLogs = includeLogs || eventSignatures.length > 0 || event !== undefined
  const raw = needsLogs ? await receiptLogs(chain, pos, signal) : []
  const logs = raw.map((log) => logOf(log, placeOf(pos)))
  if (eventSignatures.length > 0 && !logs.some(({ topic0 }) => isAmong(topic0, eventSignatures)))
    return []
  const meant = event === undefined ? [] : raw.filter((log) => isEvent(log, event, watched))
  if (event !== undefined && meant.length === 0) return []
  const events = await logsInWords(context.contracts, { chain, logs: meant }, signal)
  const transaction = await transactionOf(context, { chain, row, includeInternalTxs })
  const summary = (await toldTransaction(context, chain, row, signal)).text
  return [
    {
      summary,
      transaction,
      ...(event && { events: events.map(eventView) }),
      ...(includeLogs && { logs }),
    },
  ]
}

/** Returns whether a watched address logged the event. */
function isEvent(
  { address, topics }: Fields,
  event: WatchedEvent,
  watched: Webhook['body']['watched'],
): boolean {
  const given = Array.isArray(topics) ? topics.map(String) : []
  return (
    watched.kind === 'addresses' &&
    watched.addresses.some(([hex]) => `0x${hex}` === String(address).toLowerCase()) &&
    event.topics.every((topic, at) => topic === null || given[at]?.toLowerCase() === topic)
  )
}

/** An event in words; only its place and its bytes where no ABI is known any more. */
function eventView({ address, logIndex, topics, data, decoded }: LogInWords): Fields {
  const values = decoded?.parameters.map(({ name, value }, at) => [name || String(at), value])
  return {
    address,
    logIndex,
    ...(decoded === undefined || values === undefined
      ? { topics, data }
      : { signature: decoded.signature, arguments: Object.fromEntries(values) }),
  }
}

function isAmong(topic: unknown, signatures: readonly string[]): boolean {
  return typeof topic === 'string' && signatures.includes(topic.toLowerCase())
}

async function transactionOf(
  context: EvmContext,
  of: {
    readonly chain: ServedChain
    readonly row: TransactionWithFees
    readonly includeInternalTxs: boolean
  },
): Promise<Fields> {
  const { chain, row } = of
  const { store, facts } = chain
  const [transfers, internals, input, cumulative] = await Promise.all([
    transfersOfTransaction(store, row.pos),
    of.includeInternalTxs ? internalsOfTransaction(store, row.pos) : [],
    inputOf(chain, row),
    gasUntil(store, row.pos),
  ])
  const named = await context.addressBooks(chain).load(addressIdsOf(row, transfers, internals))
  const address = (id: number | undefined): string =>
    id === undefined ? nobody : named(id).address
  const price = decimalText(row.gasPrice)
  const value = decimalText(row.value)
  const ofStandard = (standard: 20 | 721 | 1155): Fields[] =>
    transfers
      .filter(({ kind }) => standardOf(kind) === standard)
      .map((each) => transferOf(each, standard, named))
  return {
    blockHash: row.blockHash,
    blockNumber: String(heightOf(row.pos)),
    blockTimestamp: row.timestamp,
    chainId: String(facts.evmChainId),
    from: address(row.fromId),
    to: address(row.toId),
    gas: decimalText(row.gasLimit),
    gasPrice: price,
    maxFeePerGas: row.maxFee === undefined ? price : decimalText(row.maxFee),
    maxPriorityFeePerGas:
      row.maxPriorityFee === undefined ? price : decimalText(row.maxPriorityFee),
    txHash: row.hash,
    txStatus: row.status === 1 ? '1' : '0',
    input,
    nonce: String(row.nonce),
    transactionIndex: placeOf(row.pos),
    type: row.type,
    value,
    receiptCumulativeGasUsed: String(cumulative),
    receiptGasUsed: String(row.gasUsed),
    receiptEffectiveGasPrice: price,
    receiptRoot: noRoot,
    erc20Transfers: ofStandard(20),
    erc721Transfers: ofStandard(721),
    erc1155Transfers: ofStandard(1155),
    internalTransactions: of.includeInternalTxs
      ? internals.map((frame) => internalOf(frame, address))
      : undefined,
    networkToken: coinOf(chain, value),
  }
}

function addressIdsOf(
  { fromId, toId }: TransactionWithFees,
  transfers: readonly TransferRow[],
  internals: readonly InternalRow[],
): number[] {
  return [
    fromId,
    ...(toId === undefined ? [] : [toId]),
    ...transfers.flatMap((each) => [each.tokenId, each.fromId, each.toId]),
    ...internals.flatMap((each) =>
      each.toId === undefined ? [each.fromId] : [each.fromId, each.toId],
    ),
  ]
}

function internalOf(frame: InternalRow, address: (id: number | undefined) => string): Fields {
  return {
    from: address(frame.fromId),
    to: address(frame.toId),
    internalTxType: frameType(frame.kind),
    value: decimalText(frame.value),
    gasUsed: String(frame.gasUsed),
    gasLimit: decimalText(frame.gasLimit),
    transactionHash: frame.txHash,
  }
}

function coinOf({ facts }: ServedChain, value: string): Fields {
  return {
    tokenName: facts.name,
    tokenSymbol: facts.symbol,
    tokenDecimals: facts.decimals,
    valueWithDecimals: withPoint(BigInt(value), facts.decimals),
  }
}

function transferOf(row: TransferRow, standard: 20 | 721 | 1155, named: Named): Fields {
  const value = standard === 721 ? '1' : decimalText(row.value)
  const token = tokenOf(named(row.tokenId), standard, value)
  return {
    transactionHash: row.txHash,
    type: `ERC${standard}`,
    from: named(row.fromId).address,
    to: named(row.toId).address,
    value,
    blockTimestamp: row.timestamp,
    logIndex: row.logIndex,
    ...(row.item === undefined ? {} : { tokenId: decimalText(row.item) }),
    [`erc${standard}Token`]: token,
  }
}

function tokenOf(
  { address, token, erc20 }: RichAddressEntry,
  standard: number,
  value: string,
): Fields {
  const places = standard === 20 ? erc20.decimals : 0
  return {
    address,
    name: token?.name ?? erc20.name,
    symbol: token?.symbol ?? erc20.symbol,
    decimals: places,
    valueWithDecimals: places === null ? undefined : withPoint(BigInt(value), places),
  }
}

function logOf(log: Fields, transactionIndex: number): Fields {
  const topics: readonly unknown[] = Array.isArray(log['topics']) ? log['topics'] : []
  const names = ['topic0', 'topic1', 'topic2', 'topic3']
  return {
    address: log['address'],
    // Clients refuse a topic that is null: those that are not there are left out.
    ...Object.fromEntries(topics.map((topic, at) => [names[at] ?? '', topic])),
    data: log['data'],
    transactionIndex,
    logIndex: Number(log['logIndex']),
    removed: false,
  }
}
