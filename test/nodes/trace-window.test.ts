/** Traces under way at once: as many as a node does at once, found out while they are read. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import type { Transport } from '../../src/core/world.ts'
import type { EvmSource } from '../../src/source/evm-source.ts'
import { openNodeSource } from '../../src/source/evm/node-source.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { type NodeCall, replyText } from '../support/nodes/json-rpc-reply.ts'
import { type VirtualClock, virtualClock } from '../support/processes/virtual-clock.ts'

const { signal } = new AbortController()
const blocksOfRead = 4

/** A node that does `cores` traces at once, of `traceMs` each, and lets the others wait. */
type Node = { readonly cores: number; readonly traceMs: number; readonly replyBytes?: number }

/** Reads traces of blocks, as many at once as the source says; gives what the node saw. */
async function traced(
  blocks: number,
  node: Node,
): Promise<{
  readonly blocksPerSecond: number
  readonly most: number
  /** Average under way when one of the second half was requested. */
  readonly later: number
}> {
  const clock = virtualClock()
  let underWay = 0
  let most = 0
  let requests = 0
  let sum = 0
  const source = openSource(
    clock,
    async (work) => {
      most = Math.max(most, ++underWay)
      if (++requests > blocks / 2) sum += underWay
      await work()
      underWay--
    },
    node,
  )
  const from = clock.elapsedMs()
  await readAll(source, blocks)
  const blocksPerSecond = (blocks / (clock.elapsedMs() - from)) * 1_000
  return { blocksPerSecond, most, later: sum / (blocks / 2) }
}

async function readAll(source: EvmSource, blocks: number): Promise<void> {
  const reads = new Set<Promise<void>>()
  for (let from = 1; from <= blocks; from += blocksOfRead) {
    while (reads.size >= source.window('traces')) await Promise.race(reads)
    const read = source
      .traces({ from, until: from + blocksOfRead }, () => undefined, signal)
      .then(() => void reads.delete(read))
    reads.add(read)
  }
  await Promise.all(reads)
}

function openSource(
  clock: VirtualClock,
  counted: (work: () => Promise<void>) => Promise<void>,
  { cores, traceMs, replyBytes = 2 }: Node,
): EvmSource {
  const freeAt = Array.from({ length: cores }, () => 0)
  const trace = async (): Promise<void> => {
    const core = freeAt.indexOf(Math.min(...freeAt))
    const until = Math.max(clock.monotonic(), freeAt[core] ?? 0) + traceMs
    freeAt[core] = until
    await clock.sleep(until - clock.monotonic())
  }
  const request: Transport['request'] = async ({ body }) => {
    if (String(body).includes('debug_trace')) await counted(trace)
    const text = await replyText(body, answer)
    return { status: 200, headers: {}, body: Buffer.from(text.padEnd(replyBytes)) }
  }
  const unused = (): Promise<never> => Promise.reject(new Fault('not-served', 'no files'))
  return openNodeSource({
    world: {
      clock,
      transport: { request },
      random: { number: () => 0.5, bytes: (size) => new Uint8Array(size) },
      files: { read: unused, write: unused, list: unused, remove: unused },
    },
    log: silentLog,
    urls: ['http://node/'],
    expected: {},
    timeoutMs: 30_000,
    traceTimeoutMs: 120_000,
    maxInFlight: 64,
    maxReplyBytes: 33_554_432,
  })
}

function answer({ method }: NodeCall): object {
  const result = method.startsWith('debug_trace')
    ? []
    : method === 'eth_getBlockByNumber'
      ? { hash: `0x${'00'.repeat(32)}` }
      : '0x1'
  return { result }
}

void test('traces: a node that is far away has 32 reads of them under way', async () => {
  const { blocksPerSecond, most } = await traced(6_000, { cores: 64, traceMs: 100 })
  // One after the other there are 10 a second, and 80 by eight at once.
  assert.ok(blocksPerSecond > 250, String(blocksPerSecond))
  assert.equal(most, 32)
})

void test('traces: a node of four cores is kept busy, and not given more than it does', async () => {
  const { blocksPerSecond, later } = await traced(6_000, { cores: 4, traceMs: 20 })
  assert.ok(blocksPerSecond > 190, String(blocksPerSecond))
  assert.ok(later < 20, String(later))
})

void test('traces: long replies are few at once', async () => {
  const { most } = await traced(400, { cores: 64, traceMs: 100, replyBytes: 1_000_000 })
  // The first ones are requested before it is known how long replies are.
  assert.ok(most <= 8, String(most))
})
