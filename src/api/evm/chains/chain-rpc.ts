/**
 * JSON-RPC of a chain's node, for wallets and web pages, where `publicRpc` of the chain offers it.
 *
 * Calls are written anew before they are handed on, with the members that were checked and no other: a
 * node must not read something else in them.
 */

import { clip } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { isObject, parseExact } from '../../../core/json.ts'
import { EvmChains } from '../../../shape/operations/evm-chains.ts'
import type { RpcAnswer, ServedChain } from '../../operation/chain-directory.ts'
import { type AllOf, operation } from '../../operation/operation.ts'
import {
  rpcCodes as codes,
  rpcFailure as failure,
  rpcIdOf as idOf,
  type RpcReply as Reply,
  publicWords,
} from '../../operation/status.ts'
import type { EvmContext } from '../evm-context.ts'
import { type OwnAnswer, OwnLogs } from './own-logs.ts'

/** Calls of one batch. Source: 1,000 is the limit of AvalancheGo's VMs; a page requests tens. */
const mostCalls = 100

/** Units of dear methods; others are 1. */
const weights: ReadonlyMap<string, number> = new Map([
  // The signs of life of a client, twice a minute.
  ['eth_chainId', 0],
  ['net_version', 0],
  ['eth_call', 10],
  ['eth_createAccessList', 20],
  ['eth_estimateGas', 20],
  ['eth_feeHistory', 5],
  ['eth_getBlockReceipts', 20],
  ['eth_getLogs', 100],
  ['eth_sendRawTransaction', 20],
])

/** How a source tells of an answer that is too long for it, without words. */
const tooLarge = -32_003

type RpcError = Extract<RpcAnswer, { readonly kind: 'error' }>['error']

/** Both paths. A call that cannot be answered gets its error in JSON-RPC, with status 200. */
export function chainRpcOperations({
  chains,
}: EvmContext): Pick<AllOf<typeof EvmChains>, 'callChain' | 'callBlockchain'> {
  const ownLogs = new OwnLogs()
  const answer = async (
    name: string,
    body: unknown,
    { charge, signal }: Pick<CallLimits, 'charge' | 'signal'>,
  ): Promise<{ body: unknown; json?: () => string }> => {
    try {
      const list = callsIn(body)
      const texts = await callTexts(chains.find(name), list, { charge, signal, ownLogs })
      const json = Array.isArray(body) ? `[${texts.join(',')}]` : texts.join()
      // Logs are text already: whoever wants the values reads it.
      return {
        get body() {
          return parseExact(json)
        },
        json: () => json,
      }
    } catch (error) {
      const fault = faultOf(error)
      // Who sends too much sees it by the status.
      if (fault === undefined || fault.code === 'rate-limited') throw error
      return { body: refusalOf(body, fault) }
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

/** The calls of a body. Throws `bad-parameter` for a list of none or too many. */
export function callsIn(body: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (list.length > 0 && list.length <= mostCalls) return list
  throw new Fault('bad-parameter', `a batch has 1 to ${mostCalls} calls: ${list.length}`)
}

/** The answer to calls that could not be made. */
export function refusalOf(body: unknown, fault: Fault): Reply {
  return failure(body, codeOf(fault), publicWords(fault))
}

function codeOf({ code }: Fault): number {
  if (code === 'bad-parameter') return codes.invalid
  return code === 'rate-limited' || code === 'overloaded' ? codes.tooMany : codes.failed
}

/** Limits of calls, and what they share with others. */
export type CallLimits = {
  readonly charge: (weight: number) => Promise<void>
  readonly signal: AbortSignal
  readonly ownLogs: OwnLogs
}

type Call = { readonly method: string; readonly params: readonly unknown[] }

/** An answer to each call as JSON text, in their order. Throws faults of the source, `not-found`, `rate-limited`. */
export async function callTexts(
  chain: ServedChain,
  list: readonly unknown[],
  { charge, signal, ownLogs }: CallLimits,
): Promise<readonly string[]> {
  const { facts, rpc } = chain
  if (rpc === undefined)
    throw new Fault('not-found', `calls are not offered (publicRpc of the chain): ${facts.name}`)
  const calls = list.map(callOf)
  const passed = calls.filter((call) => call !== undefined && rpc.allows(call.method))
  const known = passed.filter((call) => call !== undefined)
  await charge(known.reduce((sum, { method }) => sum + (weights.get(method) ?? 1), 0))
  const answers = new Map<Call, RpcAnswer | OwnAnswer | undefined>()
  // All calls of a batch are in memory at once.
  let most = rpc.logBytes
  for (const call of known) {
    if (call.method !== 'eth_getLogs') continue
    const own = await ownLogs.answer(chain, call.params, { most, signal })
    if (own?.kind === 'text') most -= own.text.length
    answers.set(call, own)
  }
  const left = known.filter((call) => answers.get(call) === undefined)
  const replies = left.length === 0 ? [] : await rpc.call(left, signal)
  for (const [at, call] of left.entries()) answers.set(call, replies[at])
  const all = list.map((given, at): OwnReply => {
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
    switch (reply.kind) {
      case 'result':
        return { jsonrpc: '2.0', id, result: reply.result }
      case 'text':
        return { id, resultText: reply.text }
      case 'error':
        return { jsonrpc: '2.0', id, error: errorOf(reply.error) }
    }
  })
  return all.map(textOf)
}

/** An answer to a call, or one whose result is text already. */
type OwnReply = Reply | { readonly id: unknown; readonly resultText: string }

function textOf(reply: OwnReply): string {
  const { id, resultText } = reply
  if (typeof resultText !== 'string') return JSON.stringify(reply)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`
}

/** A node's error; of an answer that is longer than this server takes, words by which clients ask for less. */
function errorOf(error: RpcError): RpcError {
  if (error.code !== tooLarge || error.message !== '') return error
  return {
    code: codes.tooMany,
    message: 'backend response too large: ask for a smaller range of blocks',
  }
}

function callOf(given: unknown): Call | undefined {
  if (!isObject(given) || given['jsonrpc'] !== '2.0') return undefined
  const { method, params = [] } = given
  if (typeof method !== 'string' || !Array.isArray(params)) return undefined
  return { method, params }
}
