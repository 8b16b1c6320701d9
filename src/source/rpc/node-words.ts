/**
 * The words with which nodes refuse, and the faults that they are. No other file reads a node's
 * words.
 *
 * The RPC of an EVM chain gives most meanings a code. AvalancheGo's own APIs (platform, avm, info,
 * index) give -32000 to all of them: there the words decide.
 */

import { Fault, type FaultCode } from '../../core/fault.ts'

/**
 * An error a node answered. `message` is read in this file only, but for calls that are handed on;
 * `data` are the bytes that a contract reverted with, `0x` hex.
 */
export type RpcError = { readonly code: number; readonly message: string; readonly data?: string }

/**
 * JSON-RPC's own error codes and those AvalancheGo adds. Source: avalanchego
 * graft/evm/rpc/errors.go; `limit` is of EIP-1474.
 */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  other: -32_000,
  timeout: -32_002,
  tooLarge: -32_003,
  limit: -32_005,
  reverted: 3,
} as const

/** Meaning of a node's error. */
export type NodeMeaning =
  /** Send fewer requests. */
  | 'throttled'
  /** The node has no such method or API, or it is switched off. */
  | 'not-offered'
  /** The request or the reply is beyond a limit of the node. */
  | 'too-large'
  /** The node ran out of time. */
  | 'out-of-time'
  /** The node has not come so far. */
  | 'not-yet'
  /** An index has nothing in it yet. */
  | 'empty'
  /** The height is not accepted. */
  | 'not-finalized'
  /** The node has nothing of that id or height: it may have it later. */
  | 'unknown'
  /** The id is of something else than a subnet. */
  | 'no-subnet'
  /** There is no such thing, method or API. */
  | 'no-such'
  | 'other'

/**
 * Meanings of AvalancheGo's words, the first that fits, with the file of avalanchego they are of.
 */
const wordings: readonly (readonly [RegExp, NodeMeaning])[] = [
  // snow/validators/state.go, vms/platformvm/validators/manager.go
  [/unfinalized height|not yet finalized/i, 'not-finalized'],
  // database/errors.go, inside the words of each service
  [/not found/i, 'unknown'],
  // indexer/index.go: nothing accepted; a start index above the last
  [/no containers/i, 'empty'],
  [/> last accepted index/i, 'not-yet'],
  // api/server/server.go; vms/avm/service.go
  [/bootstrapp/i, 'not-yet'],
  [/not linearized/i, 'not-yet'],
  // vms/platformvm/service.go getSubnet, of an id that is another transaction's
  [/is not a subnet/i, 'no-subnet'],
  // github.com/gorilla/rpc v2/map.go; graft/evm/rpc/errors.go; "disabled" is of proxies before
  // nodes
  [/can't find method|not available|disabled/i, 'not-offered'],
  // vms/platformvm/service.go, vms/platformvm/validators/manager.go; "no such" is of older nodes
  [/problem retrieving|does ?n[o']t exist|no such/i, 'no-such'],
]

/** The meaning of words of AvalancheGo's own APIs. */
export function meaningOfWords(words: string): NodeMeaning {
  return wordings.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
}

/** The meaning of an error of an EVM chain's RPC, by its code. */
export function meaningOfError(error: RpcError): NodeMeaning {
  if (isThrottle(error)) return 'throttled'
  if (error.code === rpcCodes.methodNotFound) return 'not-offered'
  if (error.code === rpcCodes.tooLarge) return 'too-large'
  return error.code === rpcCodes.timeout ? 'out-of-time' : 'other'
}

/** Returns whether an error means: send fewer requests. The words are of providers before nodes. */
export function isThrottle({ code, message }: RpcError): boolean {
  return code === rpcCodes.limit || code === 429 || /rate limit|too many requests/i.test(message)
}

/** Returns whether an error is about the size of a batch. Source: graft/evm/rpc/errors.go. */
export function refusesBatch({ code, message }: RpcError): boolean {
  return code === rpcCodes.invalidRequest && /batch|too (large|many)/i.test(message)
}

/**
 * Returns whether an error may mean that the state or block of a height is not there. Nodes have
 * many words for it under one code.
 */
export function mayLackHeight(error: RpcError): boolean {
  return error.code === rpcCodes.other && !isThrottle(error)
}

/**
 * Returns whether an error may mean that the state to trace a block is gone. Time that ran out has
 * the same code. Source: graft/coreth/eth/tracers/api.go, Go's context.
 */
export function mayLackTraceState(error: RpcError): boolean {
  return mayLackHeight(error) && !/time|deadline|cancel/i.test(error.message)
}

/**
 * Name of the failure of a contract's own code, where the words of the node say that it is one: nodes have
 * many codes for it. Source: libevm core/vm/errors.go, and the enumerations of revm.
 */
export function contractFailure({ code, message }: RpcError): string | undefined {
  if (code === rpcCodes.reverted) return 'reverted'
  const isOfServer = code === rpcCodes.internal || (code <= rpcCodes.other && code >= -32_099)
  if (!isOfServer || isThrottle({ code, message })) return undefined
  return contractFailures.find(([words]) => words.test(message))?.[1]
}

const contractFailures: readonly (readonly [RegExp, string])[] = [
  [/revert/i, 'reverted'],
  [/out ?of ?gas|gas uint64|gas overflow/i, 'out of gas'],
  [/invalid ?(fe)? ?opcode|opcode ?not ?found/i, 'invalid opcode'],
  [/invalid ?jump/i, 'invalid jump'],
  [/stack ?underflow/i, 'stack underflow'],
  [/stack ?(overflow|limit)/i, 'stack overflow'],
  [/write protection/i, 'write protection'],
  [/return data out of bounds|out of ?offset/i, 'return data out of bounds'],
  [/call depth|call ?too ?deep/i, 'call depth'],
  [/insufficient balance|out of funds/i, 'insufficient balance'],
  [
    /max (code|initcode) size|invalid code|address collision|not authorized to deploy/i,
    'creation refused',
  ],
  [/VM execution error|VM exception/i, 'reverted'],
]

/**
 * Who calls AvalancheGo's own APIs: a `stream` waits for what a node does not have yet, a
 * `question` of a caller is answered now.
 */
export type NodeCaller = 'stream' | 'question'

const codes: Readonly<Record<NodeMeaning, FaultCode>> = {
  throttled: 'node-throttled',
  'not-offered': 'node-refused',
  'too-large': 'node-too-large',
  'out-of-time': 'node-unreachable',
  'not-yet': 'node-not-yet',
  empty: 'node-not-yet',
  'not-finalized': 'node-answer',
  unknown: 'node-not-yet',
  'no-subnet': 'node-answer',
  'no-such': 'node-answer',
  other: 'node-answer',
}

const codesOf: Readonly<Record<NodeCaller, Readonly<Record<NodeMeaning, FaultCode>>>> = {
  stream: codes,
  question: {
    ...codes,
    // Every node that signs offers the method, and has bootstrapped.
    'not-offered': 'node-answer',
    'not-yet': 'node-answer',
    'not-finalized': 'bad-parameter',
    'no-subnet': 'bad-parameter',
    unknown: 'not-found',
    'no-such': 'not-found',
  },
}

/** The fault that an EVM chain's error to `method` stands for where an answer is expected. */
export function faultOfError(method: string, error: RpcError): Fault {
  const code = codes[meaningOfError(error)]
  return new Fault(code, sentence(code, method, `error ${error.code}`), {
    detail: { method, code: error.code },
  })
}

/** The fault that the words of AvalancheGo's own APIs stand for, by caller. */
export function faultOfWords(method: string, words: string, caller: NodeCaller): Fault {
  const meaning = meaningOfWords(words)
  const code = codesOf[caller][meaning]
  const isNone = meaning === 'no-subnet'
  const message = isNone ? 'the node says: is not a subnet' : sentence(code, method, 'an error')
  return new Fault(code, message, { detail: { method } })
}

function sentence(code: FaultCode, method: string, error: string): string {
  switch (code) {
    case 'node-throttled':
      return 'a node asks us to slow down'
    case 'node-refused':
      return `a node does not offer: ${method}`
    case 'node-too-large':
      return `a node refuses the reply to: ${method}`
    case 'node-unreachable':
      return `a node ran out of time: ${method}`
    case 'node-not-yet':
      return `a node does not have it yet: ${method}`
    case 'bad-parameter':
      return 'the P-Chain height is not accepted yet'
    case 'not-found':
      return `the node knows nothing of it: ${method}`
    default:
      return `a node answers with ${error} to: ${method}`
  }
}
