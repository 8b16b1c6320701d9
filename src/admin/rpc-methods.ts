/**
 * Methods that the pass-through hands on: by default those that only read.
 *
 * The node behind it is the operator's, often paid for by the call; nobody else may send
 * transactions through it or have it do costly work unless the operator says so.
 */

import { assert } from '../core/fault.ts'
import { compactText, scanJson, spanText, type Member, type Span } from './json-scan.ts'

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

/**
 * The calls in a body, one or a list; `undefined` where two readers may see two things in it: a
 * member given twice, in any case of letters, or something behind the value. The node behind this
 * listener must not find a call that was not checked here.
 */
export function callsIn(body: Uint8Array): readonly NamedCall[] | undefined {
  const scanned = scanJson(body)
  if (!scanned.ok || !isBlank(body.subarray(scanned.value.until))) return undefined
  if (scanned.kind === 'object') {
    const call = callOf(body, scanned.members)
    return call === undefined ? undefined : [call]
  }
  if (scanned.kind !== 'array') return undefined
  const calls = scanned.members.map(({ kind, value }) =>
    kind === 'object' ? callAt(body, value) : undefined,
  )
  const known = calls.filter((call) => call !== undefined)
  return known.length === calls.length && known.length > 0 ? known : undefined
}

function callAt(body: Uint8Array, { from, until }: Span): NamedCall | undefined {
  const bytes = body.subarray(from, until)
  const scanned = scanJson(bytes)
  assert(scanned.ok, 'an element of a list that was read is a value')
  return callOf(bytes, scanned.members)
}

function callOf(bytes: Uint8Array, members: readonly Member[]): NamedCall | undefined {
  const found = new Map(members.map((member) => [folded(member.key), member]))
  const method = found.get('METHOD')
  if (found.size !== members.length || method?.kind !== 'string') return undefined
  const id = found.get('ID')
  return {
    method: String(JSON.parse(spanText(bytes, method.value))),
    id: id === undefined ? 'null' : compactText(bytes, id.value),
  }
}

/** Go's readers take `ſ` for `s` and the Kelvin sign for `k` in names of members. */
function folded(key: string): string {
  return key.toLowerCase().toUpperCase()
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
}
