/**
 * JSON-RPC of a chain's node, for wallets and web pages, where `publicRpc` of the chain offers it.
 *
 * Calls are written anew before they are handed on, with the members that were checked and no other: a
 * node must not read something else in them.
 */

import { clip } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import { EvmChains } from '../../../shape/operations/evm-chains.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type AllOf, operation } from '../../operation/operation.ts'
import {
  rpcCodes as codes,
  rpcFailure as failure,
  rpcIdOf as idOf,
  type RpcReply as Reply,
  publicWords,
} from '../../operation/status.ts'
import type { EvmContext } from '../evm-context.ts'

/** Calls of one batch. Source: 1,000 is the limit of AvalancheGo's VMs; a page requests tens. */
const mostCalls = 100

/** Units of dear methods; others are 1. */
const weights: ReadonlyMap<string, number> = new Map([
  ['eth_call', 10],
  ['eth_createAccessList', 20],
  ['eth_estimateGas', 20],
  ['eth_feeHistory', 5],
  ['eth_getBlockReceipts', 20],
  ['eth_getLogs', 100],
  ['eth_sendRawTransaction', 20],
])

/** Both paths. A call that cannot be answered gets its error in JSON-RPC, with status 200. */
export function chainRpcOperations({
  chains,
}: EvmContext): Pick<AllOf<typeof EvmChains>, 'callChain' | 'callBlockchain'> {
  const answer = async (
    name: string,
    body: unknown,
    how: Pick<Limits, 'charge' | 'signal'>,
  ): Promise<{ body: unknown }> => {
    const list: readonly unknown[] = Array.isArray(body) ? body : [body]
    try {
      if (list.length === 0 || list.length > mostCalls)
        throw new Fault('bad-parameter', `a batch has 1 to ${mostCalls} calls: ${list.length}`)
      const replies = await answered(chains.find(name), list, how)
      return { body: Array.isArray(body) ? replies : replies[0] }
    } catch (error) {
      const fault = faultOf(error)
      // Who sends too much sees it by the status.
      if (fault === undefined || fault.code === 'rate-limited') throw error
      const code = fault.code === 'bad-parameter' ? codes.invalid : codes.failed
      return { body: failure(body, code, publicWords(fault)) }
    }
  }
  return {
    callChain: operation(EvmChains.callChain, (input) =>
      answer(input.path.chainId, input.body, input),
    ),
    callBlockchain: operation(EvmChains.callBlockchain, (input) =>
      answer(input.path.chainId, input.body, input),
    ),
  }
}

type Limits = { readonly charge: (weight: number) => Promise<void>; readonly signal: AbortSignal }

type Call = { readonly method: string; readonly params: readonly unknown[] }

async function answered(
  { facts, rpc }: ServedChain,
  list: readonly unknown[],
  { charge, signal }: Limits,
): Promise<readonly Reply[]> {
  if (rpc === undefined)
    throw new Fault('not-found', `calls are not offered (publicRpc of the chain): ${facts.name}`)
  const calls = list.map(callOf)
  const passed = calls.filter((call) => call !== undefined && rpc.allows(call.method))
  const known = passed.filter((call) => call !== undefined)
  await charge(known.reduce((sum, { method }) => sum + (weights.get(method) ?? 1), 0))
  const replies = known.length === 0 ? [] : await rpc.call(known, signal)
  const answers = new Map(known.map((call, at) => [call, replies[at]]))
  return list.map((given, at) => {
    const id = idOf(given)
    const call = calls[at]
    if (call === undefined) return failure(given, codes.invalid, 'not a JSON-RPC 2.0 call')
    const reply = answers.get(call)
    if (!rpc.allows(call.method))
      return failure(
        given,
        codes.unknownMethod,
        `the method is not offered here: ${clip(call.method)}`,
      )
    if (reply === undefined) return failure(given, codes.failed, 'the node gave no answer')
    return reply.kind === 'result'
      ? { jsonrpc: '2.0', id, result: reply.result }
      : { jsonrpc: '2.0', id, error: reply.error }
  })
}

function callOf(given: unknown): Call | undefined {
  if (!isObject(given) || given['jsonrpc'] !== '2.0') return undefined
  const { method, params = [] } = given
  if (typeof method !== 'string' || !Array.isArray(params)) return undefined
  return { method, params }
}
