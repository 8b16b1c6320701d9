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
import { offeredRpc, type RpcAnswer, type ServedChain } from '../../operation/chain-directory.ts'
import { type AllOf, type Answer, operation, renamed } from '../../operation/operation.ts'
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

/** Bytes of stored logs that are held for the calls of one request. */
const mostHeldBytes = 1_048_576

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
  ): Promise<Answer> => {
    try {
      const list = callsIn(body)
      const all = await callTexts(chains.find(name), list, { charge, signal, ownLogs })
      const texts = all.filter((text) => typeof text === 'string')
      if (texts.length < all.length) return { body: undefined, texts: allTexts(body, all) }
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
  const callChain = operation(EvmChains.callChain, (input) =>
    answer(input.path.chainId, input.body, input),
  )
  return { callChain, callBlockchain: renamed(EvmChains.callBlockchain, callChain) }
}

/** @yields the answer to a body */
async function* allTexts(body: unknown, all: readonly CallText[]): AsyncGenerator<string> {
  if (Array.isArray(body)) yield '['
  for (const [at, text] of all.entries()) {
    if (at > 0) yield ','
    if (typeof text === 'string') yield text
    else yield* text
  }
  if (Array.isArray(body)) yield ']'
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
  /** Bytes of stored logs at most, where these are fewer than the chain's. */
  readonly mostLogBytes?: number
}

/** An answer as JSON text; a long one in parts, which are read as they are taken. */
export type CallText = string | AsyncIterable<string>

type Call = { readonly method: string; readonly params: readonly unknown[] }

/** An answer to each call, in their order. Throws faults of the source, `not-found`, `rate-limited`. */
export async function callTexts(
  chain: ServedChain,
  list: readonly unknown[],
  { charge, signal, ownLogs, mostLogBytes = Number.POSITIVE_INFINITY }: CallLimits,
): Promise<readonly CallText[]> {
  const rpc = offeredRpc(chain)
  const calls = list.map(callOf)
  const passed = calls.filter((call) => call !== undefined && rpc.allows(call.method))
  const known = passed.filter((call) => call !== undefined)
  await charge(known.reduce((sum, { method }) => sum + (weights.get(method) ?? 1), 0))
  const answers = new Map<Call, RpcAnswer | OwnAnswer | undefined>()
  let most = Math.min(rpc.logBytes, mostLogBytes)
  const mostHeld = mostHeldBytes / known.length
  for (const call of known) {
    if (call.method !== 'eth_getLogs') continue
    const own = await ownLogs.answer(chain, call.params, { most, mostHeld, signal })
    if (own?.kind === 'text') most -= own.length
    answers.set(call, own)
  }
  const left = known.filter((call) => answers.get(call) === undefined)
  const replies = left.length === 0 ? [] : await rpc.call(left, signal)
  for (const [at, call] of left.entries()) answers.set(call, replies[at])
  return list.map((given, at): CallText => {
    const id = idOf(given)
    const call = calls[at]
    if (call === undefined) return textOf(failure(given, codes.invalid, 'not a JSON-RPC 2.0 call'))
    if (!rpc.allows(call.method)) {
      const words = `the method is not offered here: ${clip(call.method)}`
      return textOf(failure(given, codes.unknownMethod, words))
    }
    const reply = answers.get(call)
    switch (reply?.kind) {
      case undefined:
        return textOf(failure(given, codes.failed, 'the node gave no answer'))
      case 'result':
        return textOf({ jsonrpc: '2.0', id, result: reply.result })
      case 'error':
        return textOf({ jsonrpc: '2.0', id, error: errorOf(reply.error) })
      case 'text':
        return resultText(id, reply.text)
    }
  })
}

const textOf = (reply: Reply): string => JSON.stringify(reply)

/** An answer whose result is text already. */
function resultText(id: unknown, text: CallText): CallText {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
  if (typeof text === 'string') return `${head}${text}}`
  return (async function* () {
    yield head
    yield* text
    yield '}'
  })()
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
