/** Aggregators of a starting process. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { aggregatorOf } from '../../src/api/icm/aggregators.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { parseId } from '../../src/core/cb58.ts'
import { Fault, type FaultCode } from '../../src/core/fault.ts'
import type { World } from '../../src/core/world.ts'
import { openAggregators } from '../../src/service/warp/aggregators.ts'
import { createGauges } from '../../src/telemetry/gauges.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'

const isFault = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code

const { steps, transactions }: { steps: Step[]; transactions: Record<string, unknown> } =
  JSON.parse(
    readFileSync(
      new URL('../../vectors/warp/recorded-validator-manager.json', import.meta.url),
      'utf8',
    ),
  )
type Step = { call: string; txId: string }

/** A node that has forgotten every validator. */
function answerTo(body: string): { result: unknown } | { error: unknown } {
  const { method, params }: { method: string; params: [{ txID: string }] } = JSON.parse(body)
  if (method === 'info.getNetworkID') return { result: { networkID: '12345' } }
  if (method === 'platform.getTx') return { result: transactions[params[0].txID] }
  return { error: { code: -32_000, message: 'fetching L1 validator failed: not found' } }
}

/** A process whose node answers from its `awakeAfter`th question on. */
async function started(text: string, awakeAfter = 0) {
  const { config } = readConfig({ flags: {}, environment: {}, file: { path: 'firn.yaml', text } })
  const files = new Map<string, Uint8Array>()
  let questions = 0
  let draws = 1
  const world: World = {
    clock: virtualClock(),
    random: { bytes: (size) => new Uint8Array(size).fill(draws++), number: () => 0 },
    transport: {
      request: async ({ body }) => {
        if (questions++ < awakeAfter) throw new Fault('node-unreachable', 'the node is away')
        const reply = JSON.stringify({ jsonrpc: '2.0', id: 0, ...answerTo(String(body)) })
        return { status: 200, headers: {}, body: new TextEncoder().encode(reply) }
      },
    },
    files: {
      read: async (path) => files.get(path),
      write: async (path, bytes) => void files.set(path, bytes),
      remove: async () => {},
      list: async () => [...files.keys()],
    },
  }
  const stop = new AbortController()
  const parts = { world, log: silentLog, signal: stop.signal, gauges: createGauges() }
  const aggregators = await openAggregators(config, { ...parts, networks: () => [] })
  const served = () => aggregatorOf({ aggregators: aggregators.byNetwork }, 'testnet')
  const end = async (): Promise<void> => {
    stop.abort()
    await aggregators.close()
  }
  return { aggregators, served, end, files, clock: world.clock }
}

const configured = 'networks: { fuji: { nodeUrl: "http://node.test" } }'

void test('opening: until the node is heard an answer may come later, then it is served', async () => {
  const { aggregators, served, end, clock } = await started(configured, 2)
  assert.throws(served, isFault('not-served'))
  assert.match(aggregators.nodeId() ?? '', /^NodeID-/)
  await clock.sleep(60_000)
  assert.equal(served().networkId, 12_345)
  await end()
})

void test('opening: signing is 404 where it is not configured or turned off', async () => {
  const { served, end } = await started('chains: []')
  assert.throws(served, isFault('not-found'))
  await end()
  const off = await started(`${configured}\nwarp: { enabled: false }`)
  assert.throws(off.served, isFault('not-found'))
  assert.deepEqual([off.aggregators.nodeId(), off.files.size], [undefined, 0])
  await off.end()
})

void test('opening: a message that the node forgot is 404, or 503 while an index is not there yet', async () => {
  const removal = steps.find(({ call }) => call === 'completeValidatorRemoval')
  const ask = async (more: string): Promise<Uint8Array> => {
    const { served, end, clock } = await started(
      `networks: { fuji: { nodeUrl: "http://node.test"${more} } }`,
    )
    try {
      await clock.sleep(10_000)
      const { signal } = new AbortController()
      return await served().aggregator.aggregateTransaction(parseId(removal!.txId), signal)
    } finally {
      await end()
    }
  }
  await assert.rejects(ask(', primary: true'), isFault('not-served'))
  await assert.rejects(ask(', primary: false'), isFault('not-found'))
})

void test('opening: a peer that is not written as it must be ends the start', async () => {
  await assert.rejects(
    started(configured.replace(' } }', ', peers: ["127.0.0.1:9651"] } }')),
    isFault('bad-text'),
  )
})
