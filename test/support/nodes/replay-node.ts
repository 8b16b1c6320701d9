/**
 * A node that replays a recording as JSON-RPC: for tests, over any faults they think of, and for
 * benches, over a real socket.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { objectOf } from '../../../src/codec/evm/raw.ts'
import { Fault } from '../../../src/core/fault.ts'
import { isObject } from '../../../src/core/json.ts'
import type { Clock, HttpReply, Transport } from '../../../src/core/world.ts'
import { openRecording, type Recording } from '../../../src/source/recorded/recording.ts'
import { bodyText, callsOf, type NodeCall } from './json-rpc-reply.ts'

/** An exchange a fault may change: the calls, and what the node would answer. */
export type Exchange = {
  readonly calls: readonly NodeCall[]
  readonly batch: boolean
  /** Counts requests of this node from 0. */
  readonly number: number
  reply: { status: number; headers: Record<string, string>; text: string }
}

/** Changes an exchange. `hang` never answers, `reset` breaks the connection. */
export type FaultScript = (exchange: Exchange) => 'hang' | 'reset' | void

/** A replaying node. */
export type ReplayNode = {
  /** Newest height it admits to have. */
  head: number
  /** A mistake; absent when there is none. */
  script: FaultScript | undefined
  /** Changes the result of one call; for lies that must hold in every form of request. */
  lie: ((call: NodeCall, result: unknown) => unknown) | undefined
  readonly recording: Recording
  readonly seen: NodeCall[]
  readonly requests: () => number
  /** Its answer to a request body, if any. */
  readonly answer: (body: string) => { exchange: Exchange; outcome: 'hang' | 'reset' | void }
}

const unknownMethod = { code: -32601, message: 'the method does not exist/is not available' }

/** Contents of a node's answers, made once per file. */
type Prepared = {
  readonly recording: Recording
  readonly blocks: readonly string[]
  readonly receipts: readonly string[]
  readonly traces: readonly string[]
  readonly byHash: ReadonlyMap<string, number>
}

const prepared = new WeakMap<Uint8Array, Prepared>()

/** A node over the recording in `file`. */
export async function openReplayNode(file: Uint8Array): Promise<ReplayNode> {
  const made = prepared.get(file) ?? (await prepare(file))
  prepared.set(file, made)
  return nodeOver(made)
}

async function prepare(file: Uint8Array): Promise<Prepared> {
  const recording = openRecording(file)
  const { signal } = new AbortController()
  const blocks: string[] = []
  const receipts: string[] = []
  const byHash = new Map<string, number>()
  await recording.blocks(
    recording.heights,
    (units) => {
      for (const unit of units) {
        blocks.push(JSON.stringify(unit.block))
        receipts.push(JSON.stringify(unit.receipts))
        for (const receipt of unit.receipts) {
          const { transactionHash } = objectOf(receipt, 'receipt')
          byHash.set(String(transactionHash), blocks.length - 1)
        }
      }
    },
    signal,
  )
  const traces: string[] = []
  if (recording.traced)
    await recording.traces(
      recording.heights,
      (all) => {
        for (const each of all) traces.push(JSON.stringify(each))
      },
      signal,
    )
  return { recording, blocks, receipts, traces, byHash }
}

function nodeOver({ recording, blocks, receipts, traces, byHash }: Prepared): ReplayNode {
  const state = new Map<string, string>()
  let count = 0
  const node: ReplayNode = {
    head: recording.heights.until - 1,
    script: undefined,
    lie: undefined,
    recording,
    seen: [],
    requests: () => count,
    answer: (body) => {
      const { calls, isBatch: batch } = callsOf(body)
      if (node.seen.length < 100_000) node.seen.push(...calls)
      const elements = calls.map((call) => element(call))
      const text = batch ? `[${elements.join(',')}]` : (elements[0] ?? '')
      const exchange: Exchange = {
        calls,
        batch,
        number: count++,
        reply: { status: 200, headers: { 'content-type': 'application/json' }, text },
      }
      return { exchange, outcome: node.script?.(exchange) }
    },
  }

  function element(call: NodeCall): string {
    let outcome = resultOf(call)
    if ('text' in outcome && node.lie !== undefined) {
      const result = node.lie(call, JSON.parse(outcome.text))
      outcome =
        isObject(result) && 'code' in result ? { error: result } : { text: JSON.stringify(result) }
    }
    const id = JSON.stringify(call.id)
    return 'text' in outcome
      ? `{"jsonrpc":"2.0","id":${id},"result":${outcome.text}}`
      : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(outcome.error)}}`
  }

  function resultOf(call: NodeCall): { text: string } | { error: object } {
    const [first] = call.params
    switch (call.method) {
      case 'eth_chainId':
        return { text: `"0x${recording.header.chainId.toString(16)}"` }
      case 'web3_clientVersion':
        return { text: JSON.stringify(recording.header.nodeVersion) }
      case 'eth_blockNumber':
        return { text: `"0x${node.head.toString(16)}"` }
      case 'eth_getBlockByNumber':
        return blockAt(heightOf(first), call.params[1] === true)
      case 'eth_getBlockReceipts':
        return {
          text: heightOf(first) > node.head ? 'null' : (receipts[heightOf(first)] ?? 'null'),
        }
      case 'eth_getTransactionReceipt':
        return { text: receiptOf(String(first)) }
      case 'debug_traceBlockByNumber':
        return heightOf(first) === 0
          ? { error: { code: -32000, message: 'genesis is not traceable' } }
          : { text: traces[heightOf(first)] ?? 'null' }
      case 'debug_traceTransaction':
        return { text: traceOf(String(first)) }
      case 'eth_call':
      case 'eth_getBalance':
      case 'eth_getCode':
        return stateOf(call)
      default:
        return { error: unknownMethod }
    }
  }

  function heightOf(tag: unknown): number {
    return tag === 'latest' || tag === 'finalized' ? node.head : Number(tag)
  }

  function blockAt(height: number, full: boolean): { text: string } | { error: object } {
    // What coreth and subnet-evm answer above the accepted height.
    if (height > node.head)
      return { error: { code: -32000, message: 'cannot query unfinalized data' } }
    const text = blocks[height] ?? 'null'
    if (full) return { text }
    const block = objectOf(JSON.parse(text), 'block')
    const list = Array.isArray(block['transactions']) ? block['transactions'] : []
    const hashes = list.map((tx: unknown) => objectOf(tx, 'tx')['hash'])
    return { text: JSON.stringify({ ...block, transactions: hashes }) }
  }

  function receiptOf(hash: string): string {
    const height = byHash.get(hash)
    if (height === undefined || height > node.head) return 'null'
    const all: unknown = JSON.parse(receipts[height] ?? '[]')
    const found = Array.isArray(all)
      ? all.find((receipt: unknown) => objectOf(receipt, 'r')['transactionHash'] === hash)
      : null
    return JSON.stringify(found ?? null)
  }

  function traceOf(hash: string): string {
    const all: unknown = JSON.parse(traces[byHash.get(hash) ?? -1] ?? '[]')
    const found = Array.isArray(all)
      ? all.find((trace: unknown) => objectOf(trace, 't')['txHash'] === hash)
      : undefined
    return JSON.stringify(found === undefined ? null : objectOf(found, 't')['result'])
  }

  function stateOf(call: NodeCall): { text: string } | { error: object } {
    const [target] = call.params
    const recordedTarget = isObject(target) ? { to: target['to'], data: target['data'] } : target
    const key = JSON.stringify([call.method, recordedTarget])
    const known = state.get(key)
    return known === undefined
      ? { error: { code: -32000, message: 'missing trie node' } }
      : known === ''
        ? { error: { code: 3, message: 'execution reverted' } }
        : { text: JSON.stringify(known) }
  }

  for (const [key, answer] of recording.answers()) {
    const [method = '', target = '', data] = key.split(' ')
    const plain = JSON.stringify([method, data === undefined ? target : { to: target, data }])
    state.set(plain, answer.kind === 'value' ? answer.value : '')
  }
  return node
}

/**
 * Nodes by host name without a socket: exchanges take no time but what scripts demand, and a
 * node that hangs runs into the caller's timeout on the given clock.
 */
export function replayTransport(
  nodes: Readonly<Record<string, ReplayNode>>,
  clock: Clock,
): Transport {
  return {
    request: async (request) => {
      const node = nodes[new URL(request.url).hostname]
      if (node === undefined) throw new Fault('node-unreachable', 'no such host')
      const { exchange, outcome } = node.answer(bodyText(request.body))
      if (outcome === 'hang') {
        await clock.sleep(request.timeoutMs, request.signal)
        throw new Fault('node-unreachable', 'a node does not answer: timeout')
      }
      if (outcome === 'reset') throw new Fault('node-unreachable', 'a node does not answer: reset')
      const body = Buffer.from(exchange.reply.text, 'utf8')
      if (body.length > request.maxBytes)
        throw new Fault('node-too-large', `a node sent more than is taken: ${request.maxBytes}`)
      const reply: HttpReply = { ...exchange.reply, body }
      return reply
    },
  }
}

/** Serves a node on a free local port. */
export async function serveReplayNode(
  node: ReplayNode,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { exchange, outcome } = node.answer(Buffer.concat(parts).toString('utf8'))
      if (outcome === 'hang') return
      if (outcome === 'reset') {
        response.destroy()
        return
      }
      const { status, headers, text } = exchange.reply
      const body = Buffer.from(text, 'utf8')
      response.writeHead(status, { ...headers, 'content-length': body.length })
      response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
