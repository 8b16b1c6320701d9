/** Calls inside a transaction, as a tree. */

import { callsOf } from '../../codec/evm/proof/check-traces.ts'
import { objectOf } from '../../codec/evm/raw.ts'
import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { ChainTransactionPath, NoQuery } from '../../shape/evm/parameters.ts'
import { address, amount, decimal } from '../../shape/evm/scalars.ts'
import { Type } from '../../shape/type.ts'
import { heightOf, placeOf } from '../../store/query/evm/position.ts'
import { transactionByHash } from '../../store/query/evm/transactions.ts'
import { operation, type Operation } from '../operation/operation.ts'
import type { EvmParts } from './parts.ts'

// The most that a page shows. The total says how many there are.
const mostCalls = 1_000

const ListTransactionCalls = {
  id: 'listTransactionCalls',
  method: 'GET',
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
        value: amount('Coins moved, wei', 18),
        gasLimit: decimal('Gas the call was given'),
        gasUsed: decimal('Gas used by the call and those inside it'),
        methodHash: Type.Optional(
          Type.String({ description: 'first four bytes of the input, 0x hex' }),
        ),
        methodName: Type.Optional(
          Type.String({ description: 'signature of the method, where it is known' }),
        ),
        error: Type.Optional(
          Type.String({ description: 'why it failed, in the words of the node' }),
        ),
        isReverted: Type.Boolean({
          description: 'Whether the call, or one around it, was undone',
        }),
      }),
      { description: 'Each call before those inside it, in their order; the first 1,000' },
    ),
    callCount: Type.Integer({ description: 'How many calls there are' }),
  }),
} as const

/**
 * Calls of a transaction. They are not stored whole: while no node traces them the answer is 503.
 * Throws `not-found` for a transaction that is not indexed.
 */
export function listTransactionCalls({ chains, methodNames }: EvmParts): Operation {
  return operation(ListTransactionCalls, async (input) => {
    const { chainId, txHash } = input.path
    const { store, traces, wantsTraces } = chains.find(chainId)
    const row = await transactionByHash(store, fromHex(txHash))
    if (row === undefined) throw new Fault('not-found', `transaction is not known here: ${txHash}`)
    const told = wantsTraces ? await traces?.(heightOf(row.pos), input.signal) : undefined
    const trace = told?.[placeOf(row.pos)]
    if (trace === undefined)
      throw new Fault('not-served', 'calls need a node that traces, and none answers now')
    const { calls, count } = callsOf(objectOf(trace, 'trace'), mostCalls)
    const nameOf = await methodNames(
      calls.flatMap(({ selector }) => (selector === undefined ? [] : [Number(selector)])),
    )
    return {
      body: {
        callCount: count,
        calls: calls.map(({ type, selector, to, error, ...call }) => {
          const methodName = selector === undefined ? undefined : nameOf(Number(selector))
          return {
            ...call,
            callType: type,
            to,
            methodHash: selector,
            methodName,
            error,
          }
        }),
      },
    }
  })
}
