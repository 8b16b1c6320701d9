/** Recordings: made from a node over a real socket, replayed, cut off and damaged. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { recordNode } from '../../scripts/record-chain.ts'
import { Fault } from '../../src/core/fault.ts'
import { listParts } from '../../src/source/recorded/recording-file.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import { freshFolder } from '../support/processes/firn-process.ts'

const file = await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url))
const { signal } = new AbortController()

void test('record: a recording of a node that replays one equals it', async (t) => {
  const node = await openReplayNode(file)
  const server = await serveReplayNode(node)
  const path = join(await freshFolder(t), 'copy.firnrec')
  await recordNode(server.url, path, { name: 'Demo Arcade', symbol: 'PLAY' })
  await server.close()
  const copy = openRecording(await readFile(path))
  const { recording } = node
  assert.deepEqual(copy.header, recording.header)
  assert.deepEqual(copy.heights, recording.heights)
  const all = recording.heights
  assert.deepEqual(
    await copy.blocks(all, (units) => units, signal),
    await recording.blocks(all, (units) => units, signal),
  )
  assert.deepEqual(
    await copy.traces(all, (traces) => traces, signal),
    await recording.traces(all, (traces) => traces, signal),
  )
  // Every recorded call has its answer, whoever chose the calls.
  for (const [key, answer] of recording.answers())
    assert.deepEqual(copy.answers().get(key), answer, key)
})

void test('recording: state of other heights and unknown calls are not served', async () => {
  const recording = openRecording(file)
  const known = { method: 'eth_getBalance', target: `0x${'00'.repeat(20)}` } as const
  const unknown = { method: 'eth_getBalance', target: `0x${'77'.repeat(20)}` } as const
  const kinds = async (height: number | 'latest'): Promise<string[]> =>
    (await recording.state([known, unknown], height, signal)).map(({ kind }) => kind)
  assert.deepEqual(await kinds('latest'), ['value', 'not-served'])
  assert.deepEqual(await kinds(recording.heights.until - 1), ['value', 'not-served'])
  assert.deepEqual(await kinds(5), ['not-served', 'not-served'])
})

void test('recording: heights beyond the end are not there yet', async () => {
  const recording = openRecording(file)
  const { until } = recording.heights
  await assert.rejects(
    recording.blocks({ from: until - 1, until: until + 1 }, (units) => units, signal),
    (error) => error instanceof Fault && error.code === 'node-not-yet',
  )
})

void test('recording: cut off anywhere it holds the parts before the cut, or is refused', () => {
  const parts = listParts(file)
  for (const part of parts)
    for (const cut of [part.at - 21, part.at - 1, part.at, part.at + part.packedBytes - 1]) {
      const before = parts.filter(({ at, packedBytes }) => at + packedBytes <= cut)
      assert.deepEqual(listParts(file.subarray(0, cut)), before, `cut ${cut}`)
    }
  assert.throws(() => listParts(file.subarray(0, 7)), Fault)
  assert.throws(() => listParts(Buffer.from('some other file')), Fault)
})

void test('recording: a changed byte is found', async () => {
  const parts = listParts(file)
  for (const part of parts.slice(1, 3)) {
    const damaged = Uint8Array.from(file)
    const at = part.at + (part.packedBytes >>> 1)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    await assert.rejects(async () => {
      const recording = openRecording(damaged)
      await recording.blocks({ from: 0, until: 1 }, (units) => units, signal)
      await recording.traces({ from: 0, until: 1 }, (traces) => traces, signal)
    }, Fault)
  }
  const head = Uint8Array.from(file)
  const second = parts[1]?.at ?? 0
  head[second - 15] = (head[second - 15] ?? 0) ^ 1
  assert.throws(() => listParts(head), Fault)
})
