/** Calls inside a transaction, as a tree, and its logs. */

import { callsOf } from '../../../codec/evm/proof/check-traces.ts'
import { objectOf } from '../../../codec/evm/raw.ts'
import { parseEvmAddress } from '../../../core/address.ts'
import { fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import { Decoded } from '../../../shape/evm/log.ts'
import { ChainTransactionPath, NoQuery } from '../../../shape/evm/parameters.ts'
import { address, amount, decimal, hex } from '../../../shape/evm/scalars.ts'
import { Type } from '../../../shape/type.ts'
import { heightOf, placeOf } from '../../../store/query/evm/position.ts'
import { transactionByHash } from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { decodedLog } from '../abi/abi-book.ts'
import { inputInWords } from '../abi/known-abis.ts'
import type { EvmContext } from '../evm-context.ts'
import { withLabels } from '../rich-addresses.ts'

// The most that a page shows. The total says how many there are.
const mostCalls = 1_000
// An input may be passed on from call to call, and each contract that is called is looked up with its proxy.
const mostHexDecoded = 500_000
const mostContracts = 100

const ListTransactionCalls = {
  id: 'listTransactionCalls',
  path: '/v1/chains/{chainId}/transactions/{txHash}/calls',
  summary: 'Calls inside a transaction with their depth, as a node of the chain traces them',
  tag: 'EVM transactions',
  // A node executes the whole block for it.
  weight: 100,
  parameters: { path: ChainTransactionPath, query: NoQuery },
  response: Type.Object({
    calls: Type.Array(
      Type.Object({
        depth: Type.Integer({ description: '0: the transaction itself; 1: what it called' }),
        callType: Type.String({ description: 'as the tracer names it: CALL, STATICCALL, …' }),
        from: address('Caller'),
        to: Type.Optional(address('Callee, or the contract created; absent where that failed')),
        toLabel: Type.Optional(Type.String({ description: 'What the operator calls the callee' })),
        value: amount('Coins moved, wei', 18),
        gasLimit: decimal('Gas the call was given'),
        gasUsed: decimal('Gas used by the call and those inside it'),
        methodHash: Type.Optional(
          Type.String({ description: 'first four bytes of the input, 0x hex' }),
        ),
        methodName: Type.Optional(
          Type.String({ description: 'signature of the method, where it is known' }),
        ),
        input: Type.Optional(hex('Input; absent where it is empty')),
        decodedInput: Type.Optional(Decoded),
        error: Type.Optional(
          Type.String({ description: 'why it failed, in the words of the node' }),
        ),
        isReverted: Type.Boolean({ description: 'Whether the call, or one around it, was undone' }),
      }),
      {
        description:
          'Each call before those inside it, in their order; the first 1,000. Inputs are given and decoded until they come to 250 kB, by the ABIs of the first 100 contracts',
      },
    ),
    callCount: Type.Integer({ description: 'How many calls there are' }),
  }),
} as const

/**
 * Calls of a transaction. They are not stored whole: while no node traces them the answer is 503.
 * Throws `not-found` for a transaction that is not indexed.
 */
export function listTransactionCalls({
  chains,
  contracts,
  methodNames,
  addressBooks,
}: EvmContext): Operation {
  return operation(ListTransactionCalls, async (input) => {
    const { chainId, txHash } = input.path
    const chain = chains.find(chainId)
    const { store, traces, wantsTraces } = chain
    const row = await transactionByHash(store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const traced = wantsTraces ? await traces?.(heightOf(row.pos), input.signal) : undefined
    const trace = traced?.[placeOf(row.pos)]
    if (trace === undefined)
      throw new Fault('not-served', 'calls need a node that traces, and none answers now')
    const { calls, count } = callsOf(objectOf(trace, 'trace'), mostCalls)
    const inputs = calls.flatMap((call) => call.input ?? [])
    const called = new Set(calls.flatMap((call) => (call.input && call.to) ?? []))
    const [nameOf, abis] = await Promise.all([
      methodNames(inputs.map(selectorOf)),
      contracts.abisOf(chain, [...called].slice(0, mostContracts).map(fromHex), input.signal),
    ])
    const evmChainId = String(chain.facts.evmChainId)
    const book = addressBooks(chain)
    let digits = 0
    return {
      body: {
        callCount: count,
        calls: calls.map(({ type, input: given, ...rest }) => {
          const toLabel = rest.to === undefined ? undefined : book.labelOf(fromHex(rest.to))
          const call = { ...rest, toLabel, callType: type }
          if (given === undefined) return call
          const methodName = nameOf(selectorOf(given))
          digits += given.length
          const contract = { chainId: evmChainId, address: call.to?.toLowerCase() ?? '' }
          const isShown = digits <= mostHexDecoded
          const decoded = isShown
            ? inputInWords(abis, contract, { bytes: fromHex(given), methodName })
            : undefined
          return {
            ...call,
            methodHash: given.slice(0, 10),
            methodName: methodName ?? decoded?.signature,
            input: isShown ? given : undefined,
            decodedInput: decoded && withLabels(decoded, book),
          }
        }),
      },
    }
  })
}

function selectorOf(input: string): number {
  return Number(input.slice(0, 10))
}

const ListTransactionLogs = {
  id: 'listTransactionLogs',
  path: '/v1/chains/{chainId}/transactions/{txHash}/logs',
  summary: 'Logs of a transaction, as a node of the chain gives them',
  tag: 'EVM transactions',
  parameters: { path: ChainTransactionPath, query: NoQuery },
  response: Type.Object({
    logs: Type.Array(
      Type.Object({
        address: Type.String({ description: 'contract that logged it, 0x hex' }),
        label: Type.Optional(Type.String({ description: 'What the operator calls the contract' })),
        topics: Type.Array(Type.String(), { description: '32 bytes each, 0x hex; at most 4' }),
        data: Type.String({ description: '0x hex' }),
        logIndex: Type.Integer({ description: 'place among the logs of the block' }),
        decoded: Type.Optional(Decoded),
      }),
    ),
  }),
} as const

/**
 * Logs of a transaction, in their order. They are not stored: while no node gives them the answer
 * is 503. Throws `not-found` for a transaction that is not indexed.
 */
export function listTransactionLogs({ chains, contracts, addressBooks }: EvmContext): Operation {
  return operation(ListTransactionLogs, async (input) => {
    const { chainId, txHash } = input.path
    const chain = chains.find(chainId)
    const row = await transactionByHash(chain.store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const logs = await receiptLogs(chain, row.pos, input.signal)
    const addresses = logs.map(({ address }) => parseEvmAddress(String(address)))
    const abis = await contracts.abisOf(chain, addresses, input.signal)
    const book = addressBooks(chain)
    return {
      body: {
        logs: logs.map(({ address, topics, data, logIndex }) => {
          const log = {
            address: String(address),
            topics: Array.isArray(topics) ? topics.map(String) : [],
            data: String(data),
          }
          const decoded = decodedLog(abis, String(chain.facts.evmChainId), log)
          return {
            ...log,
            label: book.labelOf(fromHex(log.address)),
            logIndex: Number(logIndex),
            decoded: decoded && withLabels(decoded, book),
          }
        }),
      },
    }
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
  const receipts = await chain.receipts?.(heightOf(pos), signal)
  const receipt = receipts?.[placeOf(pos)]
  if (!isObject(receipt) || !Array.isArray(receipt['logs']))
    throw new Fault('not-served', 'logs need a node, and none answers now')
  return receipt['logs'].filter(isObject)
}
