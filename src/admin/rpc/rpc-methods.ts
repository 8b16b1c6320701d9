/**
 * Methods that the pass-through hands on: by default those that only read.
 *
 * The node behind it is the operator's, often paid for by the call; nobody else may send
 * transactions through it or have it do costly work unless the operator says so.
 */

import { isObject } from '../../core/json.ts'
import { parseExact } from './rpc-request.ts'

/**
 * Methods without effect on a node or chain, and without its most costly work (`debug`, `trace`).
 * `*` stands for any letters. Source: ethereum/execution-apis; avalanchego graft/coreth eth/api,
 * vms/platformvm/service.md, vms/avm/service.md.
 */
const reading: readonly string[] = [
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeConfig',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_get*',
  'eth_maxPriorityFeePerGas',
  'eth_protocolVersion',
  'eth_suggestPriceOptions',
  'eth_syncing',
  'net_listening',
  'net_peerCount',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
  'platform.get*',
  'platform.sampleValidators',
  'platform.validatedBy',
  'platform.validates',
  'avm.get*',
]

/** Returns whether a method may be forwarded. */
export type AllowedMethods = (method: string) => boolean

/** Reads the setting `node.rpcMethods`: names, patterns with `*`, and `read` for all that read. */
export function allowedMethods(setting: readonly string[]): AllowedMethods {
  const patterns = setting.flatMap((word) => (word === 'read' ? reading : [word]))
  const source = patterns
    .map((one) =>
      one.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', String.raw`\w*`),
    )
    .join('|')
  // `\w*` does not pass over the point between service and method: a lone `*` means all.
  const whole = new RegExp(`^(${patterns.includes('*') ? '.*' : source})$`)
  return (method) => whole.test(method)
}

/** One call of a body: its method and its id as JSON text. */
export type NamedCall = { readonly method: string; readonly id: string }

/** Calls, and the body that has them and nothing else. */
export type NamedCalls = { readonly calls: readonly NamedCall[]; readonly body: Uint8Array }

/**
 * The calls in a body, one or a list; `undefined` where two readers may see two things in it: a
 * member given twice in another case of letters. The node behind this listener must not find a call that
 * was not checked here, so it is sent what was read, written anew.
 */
export function callsIn(body: Uint8Array): NamedCalls | undefined {
  let value: unknown
  let text: string
  try {
    value = parseExact(body)
    text = JSON.stringify(value)
  } catch {
    return undefined
  }
  const calls = (Array.isArray(value) ? value : [value]).map(callOf)
  const known = calls.filter((call) => call !== undefined)
  if (known.length !== calls.length || known.length === 0) return undefined
  return { calls: known, body: new TextEncoder().encode(text) }
}

function callOf(value: unknown): NamedCall | undefined {
  if (!isObject(value)) return undefined
  const members = Object.entries(value)
  const found = new Map(members.map(([key, each]) => [folded(key), each]))
  const method = found.get('METHOD')
  if (found.size !== members.length || typeof method !== 'string') return undefined
  return { method, id: JSON.stringify(found.get('ID') ?? null) }
}

/** Go's readers take `ſ` for `s` and the Kelvin sign for `k` in names of members. */
function folded(key: string): string {
  return key.toLowerCase().toUpperCase()
}
