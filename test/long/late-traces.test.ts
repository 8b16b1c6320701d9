/**
 * Answers made from traces say up to where these are complete, also in a process that only serves.
 */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { isObject } from '../../src/core/json.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import {
  freshFolder,
  runFirn,
  startFirn,
  chainStatuses,
  until,
  untilLive,
  type RunningFirn,
} from '../support/processes/firn-process.ts'

const file = await readFile(new URL('../../demo/chain-51001.firnrec', import.meta.url))
const recording = openRecording(file)
const head = recording.heights.until - 1

/** Contracts that the recorded traces show, by a count of its own. */
async function createdContracts(): Promise<number> {
  const { signal } = new AbortController()
  let created = 0
  const visit = (frame: unknown, failed: boolean): void => {
    if (!isObject(frame)) return
    const isFailed = failed || frame['error'] !== undefined
    if (!isFailed && String(frame['type']).startsWith('CREATE')) created++
    for (const call of Array.isArray(frame['calls']) ? frame['calls'] : []) visit(call, isFailed)
  }
  await recording.traces(
    recording.heights,
    (blocks) => {
      for (const block of blocks)
        for (const trace of listOf(block, 'traces'))
          visit(objectOf(trace, 'trace')['result'], false)
    },
    signal,
  )
  return created
}

type ContractCount = {
  readonly traces: string | null
  readonly from: string | null
  readonly value: number
}

async function contracts(firn: RunningFirn): Promise<ContractCount> {
  const reply = await fetch(`${firn.apiUrl}/v2/chains/51001/rollingWindowMetrics/contracts`)
  const { result } = objectOf(await reply.json(), 'window')
  return {
    traces: reply.headers.get('x-traces-indexed-height'),
    from: reply.headers.get('x-firn-contracts-from'),
    value: Number(objectOf(result, 'result')['allTime']),
  }
}

async function tracesStage(firn: RunningFirn): Promise<Readonly<Record<string, unknown>>> {
  const { chains } = await firn.get('/status')
  const [chain] = listOf(chains, 'chains')
  const stages = listOf(objectOf(chain, 'chain')['stages'], 'stages')
  const found = stages.find((stage) => objectOf(stage, 'stage')['stage'] === 'traces')
  return objectOf(found, 'traces')
}

void test('traces that come late: a serving process says how far they are, and counts by them', async (t) => {
  const node = await openReplayNode(file)
  node.head = head
  let isTraced = false
  node.lie = (call, result) =>
    isTraced || !call.method.startsWith('debug_') ? result : { code: -32000, message: 'busy' }
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `chains: [{ name: Late Traces, rpcUrls: ['${url}'] }]\n`)
  const common = ['--config', config, '--data-dir', folder]
  const writer = await startFirn(t, [...common, '--role', 'index'])
  const reader = await startFirn(t, [...common, '--role', 'serve'])
  await until('blocks are served, and of traces the genesis', async () => {
    const chains = await chainStatuses(reader).catch(() => new Map())
    if (chains.get('fuji-late-traces')?.indexedHeight !== head) return false
    return (await tracesStage(reader))['indexedHeight'] === 0
  })
  const early = await contracts(reader)
  // The genesis block executes nothing and its traces are never requested.
  assert.deepEqual([early.traces, early.from], ['0', 'receipts'])
  const stage = await tracesStage(reader)
  assert.deepEqual([stage['state'], stage['indexedHeight']], ['syncing', 0])
  const list = '/v1/chains/51001/addresses/0x0000000000000000000000000000000000000001'
  const internals = await fetch(`${reader.apiUrl}${list}/transactions:listInternals`)
  assert.equal(internals.headers.get('x-traces-indexed-height'), '0')
  isTraced = true
  await until('traces are indexed', async () => (await contracts(reader)).traces === String(head))
  const late = await contracts(reader)
  assert.equal(late.from, null)
  assert.equal(late.value, await createdContracts())
  assert.ok(late.value > early.value)
  assert.equal((await tracesStage(reader))['state'], 'live')
  await writer.end()
})

void test('no traces: status says off, answers say none, contracts are counted by receipts', async (t) => {
  const node = await openReplayNode(file)
  node.head = head
  node.lie = (call, result) =>
    call.method.startsWith('debug_') ? { code: -32601, message: 'no such method' } : result
  const { url, close } = await serveReplayNode(node)
  t.after(close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(config, `chains: [{ name: No Traces, rpcUrls: ['${url}'] }]\n`)
  const common = ['--config', config, '--data-dir', folder]
  const firn = await startFirn(t, common)
  await untilLive(firn, ['fuji-no-traces'])
  const reader = await startFirn(t, [...common, '--role', 'serve'])
  await until('the reader serves it', async () => (await chainStatuses(reader)).size > 0)
  for (const one of [firn, reader]) {
    const stage = await tracesStage(one)
    assert.deepEqual([stage['state'], stage['indexedHeight']], ['off', -1])
    assert.ok(stage['reason'])
    const { traces, from } = await contracts(one)
    assert.deepEqual([traces, from], ['none', 'receipts'])
  }
  const printed = await runFirn('status', '--url', firn.apiUrl)
  assert.match(printed.stdout, /traces +off: no endpoint offers debug_traceBlockByNumber/)
  await firn.end()
})
