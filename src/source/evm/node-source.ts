/**
 * Nodes as a source of one EVM chain: which calls make a block, and what their failures mean.
 *
 * Source of error codes and texts: avalanchego graft/coreth and graft/subnet-evm
 * (`eth/api_backend.go`, `eth/state_accessor.go`, `internal/ethapi`), vms/saevm/sae/rpc.
 */

import { hexNumber } from '../../codec/evm/hex.ts'
import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import type { World } from '../../core/world.ts'
import type { Log } from '../../telemetry/log.ts'
import { blockchainIdCall, blockchainIdIn } from '../blockchain-id.ts'
import type { ExpectedChain } from '../endpoints/chain-census.ts'
import { EndpointPool } from '../endpoints/endpoint-pool.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { ChainIdentity, EvmSource, StateAnswer, StateCall } from '../evm-source.ts'
import { callAll, callOne, type RpcCall, type RpcTarget } from '../rpc/json-rpc.ts'
import { rpcCodes } from '../rpc/node-words.ts'
import { readBlocks } from './node-blocks.ts'
import { type NodeRpc, faultOfAnswer } from './node-call.ts'
import { readState } from './node-state.ts'
import { lowestTraced, readStateChanges, readTraces, traceProbe } from './node-traces.ts'

/** Settings of a node source. */
type NodeSourceOptions = {
  readonly world: World
  readonly log: Log
  readonly urls: readonly string[]
  readonly expected: ExpectedChain
  readonly timeoutMs: number
  readonly traceTimeoutMs: number
  readonly maxInFlight: number
  readonly maxReplyBytes: number
  /** True where callers wait for what is requested. */
  readonly isUrgent?: boolean
}

/** Most blocks in one read: 200 calls of the 1,000 a batch may have, some 10 MB at most. */
const maxUnitBlocks = 100

/** Replies under way at once, bytes: parsed they take some five times as much. */
const maxBytesUnderWay = 12_000_000

/** Replies that a read of traces holds until they are decoded. */
const tracesOfRead = 4

/** Opens a source over `urls`; sends nothing yet. Throws `bad-config` without endpoints. */
export function openNodeSource(options: NodeSourceOptions): EvmSource {
  const rpc: NodeRpc = {
    all: (endpoint, calls, signal) =>
      callAll(targetOf(options, endpoint, options.timeoutMs), calls, endpoint.batch, signal),
    slow: (endpoint, call, signal) => {
      const target = targetOf(options, endpoint, options.traceTimeoutMs)
      return callOne({ ...target, replied: (bytes) => endpoint.traced(bytes) }, call, signal)
    },
    monotonic: options.world.clock.monotonic,
  }
  const pool = new EndpointPool({
    ...options,
    identify: (endpoint, known, signal) => identify(rpc, endpoint, known, signal),
  })
  return {
    identity: (signal) => pool.identity(signal),
    headHeight: (signal) => headHeight(pool, rpc, signal),
    unitBlocks: () => {
      const least = Math.min(...pool.endpoints.map(({ batch }) => batch.calls))
      return Math.max(1, Math.min(maxUnitBlocks, Math.floor(least / 2)))
    },
    window: (need) => (need === 'traces' ? tracesWindow(pool) : blocksWindow(pool)),
    blocks: (range, decode, signal) =>
      pool.run(
        { height: range.until - 1, otherThan: range.otherThan },
        async (endpoint) =>
          decode(await readBlocks(rpc, { endpoint, range, signal }), endpoint.name),
        signal,
      ),
    hasTraces: (signal) => hasTraces(pool, rpc, signal),
    traces: (range, decode, signal) =>
      pool.run(
        { height: range.until - 1, capability: 'traces', otherThan: range.otherThan },
        async (endpoint) =>
          decode(await readTraces(rpc, { endpoint, range, signal }), endpoint.name),
        signal,
      ),
    tracesSince: (range, signal) => tracesSince(pool, rpc, range, signal),
    state: async (calls, height, signal) =>
      (await stateFrom(pool, rpc, { calls, height, signal })).answers,
    stateTwice: (calls, height, signal) => stateTwice(pool, rpc, { calls, height, signal }),
    stateChanges: async ({ txHash, height }, signal) => {
      const need = { height, capability: 'stateChanges' } as const
      return pool.run(need, (endpoint) => readStateChanges(rpc, endpoint, txHash, signal), signal)
    },
    pass: (calls, signal) =>
      pool.run({ height: -1 }, (endpoint) => rpc.all(endpoint, calls, signal), signal),
    distrust: (origin, reason) => pool.distrust(origin, reason),
    pardon: () => pool.pardon(),
    doubt: (origin, reason) => pool.doubt(origin, reason),
    endpoints: () => pool.endpoints.map((each) => each.status(options.world.clock.monotonic())),
  }
}

function targetOf(options: NodeSourceOptions, endpoint: Endpoint, timeoutMs: number): RpcTarget {
  return {
    transport: options.world.transport,
    url: endpoint.url,
    timeoutMs,
    maxReplyBytes: options.maxReplyBytes,
  }
}

async function headHeight(pool: EndpointPool, rpc: NodeRpc, signal: AbortSignal): Promise<number> {
  const call = { method: 'eth_blockNumber', params: [] }
  const named = await pool.run(
    { height: -1 },
    async (endpoint) => {
      const [answer] = await rpc.all(endpoint, [call], signal)
      if (answer?.kind !== 'result') throw faultOfAnswer(answer, call)
      endpoint.height = hexNumber(answer.result, 'head height')
      return endpoint.height
    },
    signal,
  )
  return named
}

/**
 * Identity of an endpoint's chain. When the chain is known, only distinguishing parts are
 * requested.
 */
async function identify(
  rpc: NodeRpc,
  endpoint: Endpoint,
  known: ChainIdentity | undefined,
  signal: AbortSignal,
): Promise<ChainIdentity> {
  const calls: RpcCall[] = [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
  ]
  if (known === undefined)
    calls.push(
      { method: 'web3_clientVersion', params: [] },
      { method: 'eth_call', params: [blockchainIdCall, 'latest'] },
    )
  const answers = await rpc.all(endpoint, calls, signal)
  const [chain, genesis, version, id] = answers.map((answer) =>
    answer.kind === 'result' ? answer.result : undefined,
  )
  if (chain === undefined) throw faultOfAnswer(answers[0], { method: 'eth_chainId', params: [] })
  const hash = isObject(genesis) ? genesis['hash'] : undefined
  if (typeof hash !== 'string')
    throw answers[1]?.kind === 'error'
      ? faultOfAnswer(answers[1], { method: 'eth_getBlockByNumber', params: [] })
      : new Fault('node-answer', 'a node has no genesis block')
  // Chain ids are numbers in answers: larger ones are refused. Source: EIP-155 sets no limit.
  if (typeof chain === 'string' && /^0x[0-9a-f]+$/i.test(chain)) {
    const id = BigInt(chain)
    if (id > BigInt(Number.MAX_SAFE_INTEGER))
      throw new Fault('source-mismatch', `chain ids above 2^53 - 1 are not served: ${id}`)
  }
  const read = { chainId: hexNumber(chain, 'chain id'), genesisHash: hash }
  if (known !== undefined) return { ...known, ...read }
  const identity = {
    ...read,
    nodeVersion: typeof version === 'string' ? version.slice(0, 200) : '',
  }
  const blockchainId = blockchainIdIn(id)
  return blockchainId === undefined ? identity : { ...identity, blockchainId }
}

/** Ranges to request at once: as many as endpoints allow and their replies fit into memory. */
function blocksWindow(pool: EndpointPool): number {
  const largest = Math.max(...pool.endpoints.map(({ batch }) => batch.replyBytes))
  return Math.max(2, Math.min(pool.window(), fitting(largest)))
}

/** The same for traces, each of which is a reply of its own. */
function tracesWindow(pool: EndpointPool): number {
  const largest = Math.max(...pool.endpoints.map(({ traceBytes }) => traceBytes))
  return Math.max(2, Math.min(pool.window('traces'), fitting(largest * tracesOfRead)))
}

/** Replies of `bytes` each that fit into memory. */
function fitting(bytes: number): number {
  return bytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(maxBytesUnderWay / bytes)
}

type StateRead = {
  readonly calls: readonly StateCall[]
  readonly height: number | 'latest'
  readonly signal: AbortSignal
  readonly otherThan?: readonly string[] | undefined
}

/** State, and the endpoint that gave it; no endpoint where none has it. */
type EndpointState = { readonly origin?: string; readonly answers: StateAnswer[] }

/**
 * State from the first endpoint that has it. An endpoint that refuses the method is not used for
 * it again for a while.
 */
async function stateFrom(
  pool: EndpointPool,
  rpc: NodeRpc,
  read: StateRead,
): Promise<EndpointState> {
  const height = read.height === 'latest' ? -1 : read.height
  const [first] = read.calls
  // With several methods it is not known which one was refused.
  const isOne = read.calls.every(({ method }) => method === first?.method)
  const capability = isOne ? first?.method : undefined
  try {
    return await pool.run(
      { height, otherThan: read.otherThan, capability },
      async (endpoint) => ({
        origin: endpoint.name,
        answers: await readState({ rpc, endpoint, ...read }, read.calls),
      }),
      read.signal,
    )
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code !== 'not-served' && error.code !== 'node-refused') throw error
    const reason = error.message
    return { answers: read.calls.map(() => ({ kind: 'not-served', reason })) }
  }
}

/** State from two endpoints, or as many as have it. */
async function stateTwice(
  pool: EndpointPool,
  rpc: NodeRpc,
  read: StateRead,
): Promise<readonly (readonly StateAnswer[])[]> {
  const first = await stateFrom(pool, rpc, read)
  if (first.origin === undefined || !pool.hasOther(first.origin)) return [first.answers]
  const second = await stateFrom(pool, rpc, { ...read, otherThan: [first.origin] })
  const isOther = second.origin !== undefined && second.origin !== first.origin
  return isOther ? [first.answers, second.answers] : [first.answers]
}

async function tracesSince(
  pool: EndpointPool,
  rpc: NodeRpc,
  range: { readonly from: number; readonly head: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  let lowest: number | undefined
  for (const endpoint of pool.endpoints) {
    if (endpoint.quarantine !== undefined) continue
    const found = await lowestTraced(rpc, endpoint, range, signal)
    if (found !== undefined) lowest = Math.min(found, lowest ?? found)
  }
  return lowest
}

async function hasTraces(pool: EndpointPool, rpc: NodeRpc, signal: AbortSignal): Promise<boolean> {
  try {
    await pool.run(
      { height: -1, capability: 'traces' },
      async (endpoint) => {
        const answer = await rpc.slow(endpoint, traceProbe, signal)
        if (answer.kind === 'error' && answer.error.code === rpcCodes.methodNotFound)
          throw faultOfAnswer(answer, traceProbe)
      },
      signal,
    )
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'node-refused') return false
    throw error
  }
}
