/** Calls inside a transaction, as a tree, and its logs. */

import { callsOf } from '../../../codec/evm/proof/check-traces.ts'
import { objectOf } from '../../../codec/evm/raw.ts'
import { parseEvmAddress } from '../../../core/address.ts'
import { fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import type { Decoded } from '../../../shape/evm/log.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import { transactionByHash } from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { decodedLog } from '../abi/abi-book.ts'
import type { Moved } from '../abi/amounts.ts'
import { inputInWords } from '../abi/known-abis.ts'
import { movedBy } from '../abi/moved.ts'
import type { EvmContext } from '../evm-context.ts'
import { labelledLogs, labelsOf, type RichAddressBook } from '../rich-addresses.ts'

// The most that a page shows. The total says how many there are.
const mostCalls = 1_000

// An input may be passed on from call to call, and each contract that is called is looked up with its proxy.
const mostHexDecoded = 500_000

const mostContracts = 100

/**
 * Calls of a transaction. They are not stored whole: while no node traces them the answer is 503.
 * Throws `not-found` for a transaction that is not indexed.
 */
export function listTransactionCalls({
  chains,
  contracts,
  methodNames,
  addressBooks,
}: EvmContext): Operation<'listTransactionCalls'> {
  return operation(EvmTransactions.listTransactionCalls, async (input) => {
    const { chainId, txHash } = input.path
    const chain = chains.find(chainId)
    const { store, traces, wantsTraces } = chain
    const row = await transactionByHash(store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const traced = wantsTraces ? await traces?.(heightOf(row.pos), input.signal) : undefined
    const trace = traced?.[placeOf(row.pos)]
    if (trace === undefined)
      throw new Fault('not-served', 'calls need a node that traces, and none answers now')
    const { calls, count } = callsOf(objectOf(trace, 'trace'), {
      most: mostCalls,
      gas: row.gasUsed,
    })
    const inputs = calls.flatMap((call) => call.input ?? [])
    const called = new Set(calls.flatMap((call) => (call.input && call.to) ?? []))
    const [nameOf, abis] = await Promise.all([
      methodNames(inputs.map(selectorOf)),
      contracts.abisOf(chain, [...called].slice(0, mostContracts).map(fromHex), input.signal),
    ])
    const evmChainId = String(chain.facts.evmChainId)
    let digits = 0
    const views = calls.map(({ type, input: given, ...rest }) => {
      const call = { ...rest, callType: type }
      if (given === undefined) return call
      digits += given.length
      const contract = { chainId: evmChainId, address: call.to?.toLowerCase() ?? '' }
      const isShown = digits <= mostHexDecoded
      const bytes = fromHex(isShown ? given : given.slice(0, 10))
      return {
        ...call,
        methodHash: given.slice(0, 10),
        ...inputInWords(abis, contract, { bytes, listed: nameOf(selectorOf(given)) }),
        input: isShown ? given : undefined,
      }
    })
    const book = addressBooks(chain)
    const moved = await movedBy(chain, book, row)
    return { body: { callCount: count, calls: await labelledCalls(book, views, moved) } }
  })
}

type CallEnds = { readonly from: string; readonly to?: string | undefined }
type CallWords = {
  readonly decodedInput?: Decoded | undefined
  readonly fromLabel: string | undefined
  readonly toLabel: string | undefined
}

/** Calls with what their addresses are called and what their amounts are of. */
async function labelledCalls<V extends CallEnds>(
  book: RichAddressBook,
  views: readonly V[],
  moved: Moved,
): Promise<(V & CallWords)[]> {
  const labels = await labelsOf(
    book,
    views.flatMap(({ from, to }) => [from, to]),
    views.map(decodedOf),
  )
  return views.map((view) => ({
    ...view,
    fromLabel: labels.of(view.from),
    toLabel: labels.of(view.to),
    decodedInput: labels.in(decodedOf(view), { contract: view.to, moved }),
  }))
}

function decodedOf(
  view: object & { readonly decodedInput?: Decoded | undefined },
): Decoded | undefined {
  return view.decodedInput
}

function selectorOf(input: string): number {
  return Number(input.slice(0, 10))
}

/**
 * Logs of a transaction, in their order. They are not stored: while no node gives them the answer
 * is 503. Throws `not-found` for a transaction that is not indexed.
 */
export function listTransactionLogs({
  chains,
  contracts,
  addressBooks,
}: EvmContext): Operation<'listTransactionLogs'> {
  return operation(EvmTransactions.listTransactionLogs, async (input) => {
    const { chainId, txHash } = input.path
    const chain = chains.find(chainId)
    const row = await transactionByHash(chain.store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const logs = await receiptLogs(chain, row.pos, input.signal)
    const views = await logsInWords(contracts, { chain, logs }, input.signal)
    const book = addressBooks(chain)
    const moved = await movedBy(chain, book, row)
    return { body: { logs: await labelledLogs(book, views, () => moved) } }
  })
}

/** A log, and what it says by the ABIs that are known. */
export type LogInWords = {
  readonly address: string
  readonly topics: string[]
  readonly data: string
  readonly logIndex: number
  readonly decoded: Decoded | undefined
}

/** Logs that a node gave, with what they say. */
export async function logsInWords(
  contracts: EvmContext['contracts'],
  { chain, logs }: { readonly chain: ServedChain; readonly logs: readonly ReceiptLog[] },
  signal: AbortSignal,
): Promise<LogInWords[]> {
  const addresses = logs.map(({ address }) => parseEvmAddress(String(address)))
  const abis = await contracts.abisOf(chain, addresses, signal)
  return logs.map(({ address, topics, data, logIndex }) => {
    const log = {
      address: String(address),
      topics: Array.isArray(topics) ? topics.map(String) : [],
      data: String(data),
    }
    const decoded = decodedLog(abis, String(chain.facts.evmChainId), log)
    return { ...log, logIndex: Number(logIndex), decoded }
  })
}

/** A log as the node gave it. */
type ReceiptLog = Readonly<Record<string, unknown>>

/**
 * Logs of the transaction at `pos`, in their order. Throws `not-served` while no node gives them.
 */
export async function receiptLogs(
  chain: ServedChain,
  pos: number,
  signal: AbortSignal,
): Promise<readonly ReceiptLog[]> {
  const block = await chain.block?.(heightOf(pos), signal)
  const receipt = block?.receipts[placeOf(pos)]
  if (!isObject(receipt) || !Array.isArray(receipt['logs']))
    throw new Fault('not-served', 'logs need a node, and none answers now')
  return receipt['logs'].filter(isObject)
}
