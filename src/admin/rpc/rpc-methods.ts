/**
 * Methods that the pass-through hands on: by default those that only read.
 *
 * The node behind it is the operator's, often paid for by the call; nobody else may send
 * transactions through it or have it do costly work unless the operator says so.
 */

import { isObject, parseExact } from '../../core/json.ts'

/**
 * Methods of EVM chains without effect on a node or chain, and without its most costly work (`debug`,
 * `trace`), each by its name: a node may have others with names like these.
 * Source: ethereum/execution-apis; avalanchego graft/coreth eth/api.
 */
export const readingEvm: readonly string[] = [
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
  'eth_getActivePrecompilesAt',
  'eth_getActiveRulesAt',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getChainConfig',
  'eth_getCode',
  'eth_getHeaderByHash',
  'eth_getHeaderByNumber',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_maxPriorityFeePerGas',
  'eth_protocolVersion',
  'eth_suggestPriceOptions',
  'eth_syncing',
  'net_listening',
  'net_peerCount',
  'net_version',
  'web3_clientVersion',
  'web3_sha3',
]

/**
 * These and what reads on the P-Chain and the X-Chain; `*` stands for any letters.
 * Source: vms/platformvm/service.md, vms/avm/service.md.
 */
const reading: readonly string[] = [
  ...readingEvm,
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

/**
 * Parameters of a call whose gas is at most `most`: the node computes as long as the caller says. An `eth_call`
 * has its gas named, others are tried within the gas of a block.
 */
export function withGas(
  method: string,
  [call, ...rest]: readonly unknown[],
  most: number,
): readonly unknown[] {
  if (!isObject(call)) return call === undefined ? rest : [call, ...rest]
  const gas = `0x${most.toString(16)}`
  const members = Object.entries(call).map(([name, value]) =>
    folded(name) === 'GAS' && !isAtMost(value, most) ? [name, gas] : [name, value],
  )
  const named = members.some(([name]) => folded(String(name)) === 'GAS')
  if (method === 'eth_call' && !named) members.push(['gas', gas])
  return [Object.fromEntries(members), ...rest]
}

function isAtMost(value: unknown, most: number): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) && Number(value) <= most
}

/** Go's readers take `ſ` for `s` and the Kelvin sign for `k` in names of members. */
function folded(key: string): string {
  return key.toLowerCase().toUpperCase()
}
