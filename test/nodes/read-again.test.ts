/**
 * A node that is caught once: what it gave without a proof since its last proven block is read
 * again, where only samples are checked, and on a chain whose headers are of a form that nobody
 * knows.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { type Lie, ran } from '../support/nodes/bad-node.ts'

/** Only the receipts of blocks in `[from, until)` are altered. */
function alteredReceipts(from: number, until: number): Lie {
  return ({ method, params }, result) => {
    const height = Number(params[0])
    if (method !== 'eth_getBlockReceipts' || height < from || height >= until) return result
    assert.ok(Array.isArray(result))
    return result.map((receipt: unknown) => ({ ...objectOf(receipt, 'receipt'), status: '0x0' }))
  }
}

/** A later time in blocks of `[from, until)`. */
function alteredTime(from: number, until: number): Lie {
  return ({ method, params }, result) => {
    const height = Number(params[0])
    if (method !== 'eth_getBlockByNumber' || params[1] !== true) return result
    if (result === null || height < from || height >= until) return result
    const block = objectOf(result, 'block')
    return { ...block, timestamp: `0x${(Number(block['timestamp']) + 1).toString(16)}` }
  }
}

/** Headers with a field that nobody knows, so that none has the hash of its block. */
const unknownForm: Lie = ({ method, params }, result) =>
  method === 'eth_getBlockByNumber' && params[1] === true && result !== null && params[0] !== '0x0'
    ? { ...objectOf(result, 'block'), futureRoot: '0x01', extraData: '0x01' }
    : result

/** `lie`, and how often it changed a reply. */
function counted(lie: Lie): { readonly lie: Lie; readonly lies: () => number } {
  let lies = 0
  return {
    lie: (call, result) => {
      const changed = lie(call, result)
      if (changed !== result) lies++
      return changed
    },
    lies: () => lies,
  }
}

void test('samples only: an endpoint that is caught has its blocks since the last proof read again', async () => {
  // Of the altered blocks only 32 is checked; what was read before it is stored by then.
  const { lie, lies } = counted(alteredReceipts(17, 33))
  const run = await ran({ honest: true, maySpoil: true, stepMs: 1, lie, checkEvery: 32 })
  assert.ok(lies() >= 16)
  run.isWhole()
})

void test('an unknown form of headers: an endpoint that is caught has all of its blocks read again', async () => {
  // The time of a block is under no hash here; that receipts contradict their header shows who lies.
  const { lie, lies } = counted((call, result) =>
    alteredTime(12, 40)(call, alteredReceipts(44, 61)(call, result)),
  )
  const run = await ran({ honest: true, maySpoil: true, stepwise: true, form: unknownForm, lie })
  assert.match(run.stage('blocks').unverified ?? '', /headers are not made in a way that is known/)
  assert.ok(lies() > 4)
  run.isWhole()
})

void test('an unknown form of headers: one bad answer of a lone endpoint takes nothing away', async () => {
  let lies = 0
  const lie: Lie = (call, result) => {
    const changed = alteredReceipts(44, 46)(call, result)
    return changed !== result && lies++ < 2 ? changed : result
  }
  const run = await ran({ form: unknownForm, lie, maySpoil: true, stepwise: true })
  assert.ok(lies > 0)
  assert.deepEqual(run.cuts, [])
  run.isWhole()
})
