import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { RawUnit } from '../../../codec/evm/raw.ts'
import { Fault } from '../../../core/fault.ts'
import type { EndpointStatus } from '../../../source/evm-source.ts'
import { silentLog } from '../../../telemetry/log.ts'
import { BlockChecks } from './block-checks.ts'

/** Root of no transactions. Source: Ethereum yellow paper, appendix D. */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** A block whose hash is not that of its header, and cannot be. */
function madeUp(fields: object = {}): RawUnit {
  const block = { hash: '0x12', transactions: [], transactionsRoot: emptyRoot, logsBloom }
  return { block: { ...block, ...fields }, receipts: [] }
}
const logsBloom = `0x${'00'.repeat(256)}`

function up(name: string): EndpointStatus {
  return { name, state: 'up', height: -1, latencyMs: 0, inFlight: 0, window: 1 }
}

function checksOver(endpoints: readonly EndpointStatus[]): BlockChecks {
  return new BlockChecks({ log: silentLog, endpoints: () => endpoints, checkEvery: 128 })
}

function isRefused(checks: BlockChecks, unit: RawUnit, height: number, origin: string): boolean {
  try {
    checks.check(unit, height, origin)
    return false
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'node-answer')
    return true
  }
}

void test('unknown headers: the only endpoint is believed at once', () => {
  const checks = checksOver([up('a'), { ...up('b'), state: 'waiting' }])
  assert.equal(isRefused(checks, madeUp(), 1, 'a'), false)
  assert.deepEqual(checks.unchecked(), { header: 1, transactions: 0, bloom: 0 })
})

void test('unknown headers: believed once every endpoint has such', () => {
  const checks = checksOver([up('a'), up('b')])
  assert.equal(isRefused(checks, madeUp(), 1, 'a'), true)
  assert.equal(isRefused(checks, madeUp(), 2, 'a'), true)
  assert.equal(isRefused(checks, madeUp(), 1, 'b'), false)
  assert.equal(isRefused(checks, madeUp(), 2, 'a'), false)
})

void test('unknown headers: an endpoint that never answers holds a block for four tries only', () => {
  const checks = checksOver([up('a'), up('lagging')])
  const tries = [1, 2, 3, 4, 5].map(() => isRefused(checks, madeUp(), 7, 'a'))
  assert.deepEqual(tries, [true, true, true, true, false])
  assert.equal(isRefused(checks, madeUp(), 8, 'a'), false)
})

void test('unknown headers: more forms than a chain can have are a fault', () => {
  const checks = checksOver([up('a')])
  const refused = Array.from({ length: 70 }, (_, at) =>
    isRefused(checks, madeUp({ [`field${at}`]: '0x1' }), at + 1, 'a'),
  )
  assert.equal(refused.indexOf(true), 64)
  assert.ok(refused.slice(64).every(Boolean))
  assert.equal(isRefused(checks, madeUp({ field0: '0x1' }), 100, 'a'), false)
})

void test('which blocks are looked at: the newest, samples, the first ones, and those that failed', () => {
  const checks = checksOver([up('a'), up('b')])
  assert.ok(checks.wants(1_000, true))
  assert.ok(checks.wants(1_000, false), 'nothing is known yet')
  for (let height = 1; height <= 16; height++) {
    isRefused(checks, madeUp(), height, 'a')
    isRefused(checks, madeUp(), height, 'b')
  }
  assert.ok(!checks.wants(1_000, false), 'enough was looked at')
  assert.ok(checks.wants(1_024, false), 'a sample')
  const other = madeUp({ logsBloom: `0x${'11'.repeat(256)}` })
  assert.ok(isRefused(checks, other, 1_001, 'a'))
  assert.ok(checks.wants(1_001, false), 'it failed')
  assert.ok(!isRefused(checks, other, 1_001, 'b'))
  assert.ok(!checks.wants(1_001, false), 'it is settled')
})

void test('all blocks: each is checked whether or not anybody reads of it', () => {
  const wrong = madeUp({ receiptsRoot: `0x${'22'.repeat(32)}` })
  const verdicts: string[] = []
  for (const judged of [undefined, (_: number, verdict: string) => void verdicts.push(verdict)]) {
    const checks = checksOver([up('a')])
    const of = { from: 1, origin: 'a', wants: () => true, ...(judged && { judged }) }
    const good = { ...madeUp(), block: { ...madeUp().block, receiptsRoot: emptyRoot } }
    assert.equal(checks.checkAll([good, wrong], of).length, 1)
    assert.throws(() => checks.checkAll([wrong], of), { code: 'node-answer' })
  }
  assert.deepEqual(verdicts, ['taken', 'refuted', 'refuted'])
})
