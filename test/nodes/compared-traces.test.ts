/**
 * Inner call frames, which no hash covers: a node that alters them is found by asking another one.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { type Lie, ran, truth } from '../support/nodes/bad-node.ts'

/** A value one larger in every inner call of the blocks that `isAltered` names. */
function alteredInner(isAltered: (height: number) => boolean): { lie: Lie; altered: () => number } {
  let altered = 0
  const lie: Lie = ({ method, params }, result) => {
    if (method !== 'debug_traceBlockByNumber' || !Array.isArray(result)) return result
    const height = Number(params[0])
    if (!hasInner.has(height) || !isAltered(height)) return result
    altered++
    return result.map((one: unknown) => {
      const trace = objectOf(one, 'trace')
      const frame = objectOf(trace['result'], 'frame')
      const calls = Array.isArray(frame['calls']) ? frame['calls'] : []
      return { ...trace, result: { ...frame, calls: calls.map(more) } }
    })
  }
  return { lie, altered: () => altered }
}

/** Heights with an inner call that moves value. */
const hasInner = new Set(
  Array.from(truth.traces.frames.block).filter((_, row) => truth.traces.frames.position[row] !== 0),
)

function more(call: unknown): unknown {
  const frame = objectOf(call, 'call')
  const value = frame['value']
  return typeof value === 'string'
    ? { ...frame, value: `0x${(BigInt(value) + 1n).toString(16)}` }
    : frame
}

void test('inner frames: the recording has some', () => {
  assert.ok(hasInner.size > 4, String([...hasInner]))
})

void test('inner frames: altered once in a compared read, both endpoints are asked again and agree', async () => {
  const seen = new Set<number>()
  const { lie, altered } = alteredInner(
    (height) => !seen.has(height) && seen.size < seen.add(height).size,
  )
  const run = await ran({ honest: true, maySpoil: true, compareEvery: 1, lie })
  assert.ok(altered() > 0)
  run.isWhole()
})

void test('inner frames: two endpoints that never agree: nothing of it is handed on, and the stage says why', async () => {
  const { lie, altered } = alteredInner(() => true)
  const run = await ran({
    honest: true,
    maySpoil: true,
    compareEvery: 1,
    lie,
    until: (_, clock) => clock.elapsedMs() > 60_000,
  })
  assert.ok(altered() > 0)
  const { state, reason, indexedHeight } = run.stage('traces')
  assert.equal(state, 'syncing')
  assert.match(reason ?? '', /endpoints give different traces of blocks/)
  assert.ok(indexedHeight < Math.min(...hasInner))
  assert.equal(run.stage('blocks').state, 'live')
})

void test('inner frames: two of three agree, and what came from the third before is read again', async () => {
  const { lie, altered } = alteredInner(() => true)
  const run = await ran({ honest: true, witness: true, maySpoil: true, compareEvery: 4, lie })
  assert.ok(altered() > 0)
  run.isWhole()
})

void test('inner frames: which reads are compared does not follow from their heights', async () => {
  // Reads are of four blocks: a liar that tells the truth in each fourth of them is found, too.
  const { lie, altered } = alteredInner((height) => Math.floor(height / 4) % 4 !== 0)
  const run = await ran({ honest: true, witness: true, maySpoil: true, compareEvery: 4, lie })
  assert.ok(altered() > 0)
  run.isWhole()
})
