/**
 * Nodes that answer what is not so: of another chain or history, or contradicting themselves.
 *
 * Blocks that are handed on equal the recorded node's, or none are and the status says why.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { headerHash } from '../../src/codec/evm/proof/header-hash.ts'
import { objectOf } from '../../src/codec/evm/raw.ts'
import { to0x } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { type Lie, ran, truth } from '../support/nodes/bad-node.ts'
import { openReplayNode } from '../support/nodes/replay-node.ts'

const foreignFile = await readFile(new URL('../../demo/chain-51001.firnrec', import.meta.url))

for (const [name, change] of lies())
  void test(`a lie, ${name}: the honest endpoint is read, the lie is not`, async () => {
    const run = await ran({ lie: change, honest: true })
    run.isWhole()
  })

for (const [name, change] of lies())
  void test(`a lie, ${name}: alone, nothing of it is handed on`, async () => {
    const run = await ran({ lie: change, until: (_, clock) => clock.elapsedMs() > 60_000 })
    assert.equal(run.stage('blocks').indexedHeight, 29)
    assert.notEqual(run.stage('blocks').state, 'live')
    assert.ok(run.stage('blocks').reason, 'the status says why')
    assert.ok(run.node.requests() < 2_000, `no hot loop: ${run.node.requests()}`)
  })

void test('altered amounts that agree with themselves: found at the head by the receipts root', async () => {
  const run = await ran({
    lie: (call, result) =>
      call.method === 'eth_getBlockReceipts' && Number(call.params[0]) > 12
        ? JSON.parse(JSON.stringify(result).replaceAll(/("data":"0x0[0-9a-f]*)1/g, '$12'))
        : result,
    honest: true,
    stepwise: true,
  })
  run.isWhole()
})

void test('another chain id on one endpoint: the endpoint is not used, and the status names it', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_chainId' ? '0x1' : result),
    honest: true,
  })
  run.isWhole()
  const bad = run.source.endpoints().find(({ name }) => name.includes('//bad'))
  assert.equal(bad?.state, 'quarantined')
})

void test('another chain id on the only endpoint: the chain stops and says so', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_chainId' ? '0x1' : result),
    until: ({ state }) => state === 'stopped',
  })
  assert.match(run.stage('blocks').reason ?? '', /another chain/)
  assert.equal(run.pieces(), 0)
})

void test('a chain id above 2^53: the chain is refused, with its id', async () => {
  const run = await ran({
    lie: (call, result) => (call.method === 'eth_chainId' ? '0x20000000000001' : result),
    until: ({ state }) => state === 'stopped',
  })
  assert.match(run.stage('blocks').reason ?? '', /not served: 9007199254740993/)
  assert.equal(run.pieces(), 0)
})

void test('an endpoint that changes to another chain on the way is not used any more', async () => {
  const foreign = await openReplayNode(foreignFile)
  let swapped = false
  const run = await ran({
    script: (exchange) => {
      if (exchange.number === 4) {
        swapped = true
        return 'reset'
      }
      if (!swapped) return undefined
      exchange.reply.text = foreign.answer(
        JSON.stringify(exchange.batch ? exchange.calls : exchange.calls[0]),
      ).exchange.reply.text
      return undefined
    },
    honest: true,
  })
  run.isWhole()
})

void test('a history that forks: with another endpoint it goes on, the liar is quarantined', async () => {
  const run = await ran({ lie: forkAt(30), honest: true, stepwise: true })
  run.isWhole()
})

void test('a history that forks: alone, the chain stops before it and names the endpoint', async () => {
  const run = await ran({ lie: forkAt(30), until: ({ state }) => state === 'stopped' })
  // Blocks right before it may still wait for a word about their contracts when it stops.
  assert.ok([19, 29].includes(run.stage('blocks').indexedHeight))
  assert.match(run.stage('blocks').reason ?? '', /parent of block 30 .*bad/)
})

for (const [title, lie] of [
  ['a history that forks', forkAt(30)],
  ['another chain id', (call, result) => (call.method === 'eth_chainId' ? '0x1' : result)],
] as const satisfies readonly (readonly [string, Lie])[])
  void test(`${title}: alone and mended later, the chain goes on by itself, and is stopped until then`, async () => {
    let stoppedAtMs: number | undefined
    let isMended = false
    const run = await ran({
      lie: (call, result) => (isMended ? result : lie(call, result)),
      until: ({ state, indexedHeight }, clock) => {
        if (state === 'stopped') stoppedAtMs ??= clock.elapsedMs()
        if (stoppedAtMs === undefined) return false
        isMended = clock.elapsedMs() - stoppedAtMs > 300_000
        if (!isMended) assert.equal(state, 'stopped')
        return state === 'live' && indexedHeight === truth.headers.length - 1
      },
    })
    assert.equal(run.stage('blocks').reason, undefined)
    assert.ok(run.node.requests() < 2_000, `no hot loop: ${run.node.requests()}`)
  })

void test('a store of another history: the chain stops at once', async () => {
  const run = await ran({
    begin: async () => ({ blocksFrom: 30, tracesFrom: 0, parentHash: `0x${'77'.repeat(32)}` }),
    until: ({ state }) => state === 'stopped',
  })
  assert.match(run.stage('blocks').reason ?? '', /parent of block 30/)
  assert.equal(run.pieces(), 0)
})

void test('a store of another chain: the chain stops at once', async () => {
  const run = await ran({
    begin: async () => {
      throw new Fault('source-mismatch', 'store is of another chain: chainId 5')
    },
    until: ({ state }) => state === 'stopped',
  })
  assert.equal(run.stage('blocks').reason, 'store is of another chain: chainId 5')
})

/** Lies about heights from 30 on that contradict themselves. */
function lies(): [string, Lie][] {
  const inBlock =
    (change: (block: Record<string, unknown>) => unknown): Lie =>
    (call, result) => {
      const at = Number(call.params[0])
      return call.method === 'eth_getBlockByNumber' && call.params[1] === true && at >= 30
        ? change({ ...objectOf(result, 'block') })
        : result
    }
  const inReceipts =
    (change: (receipts: Record<string, unknown>[]) => unknown): Lie =>
    (call, result) => {
      const at = Number(call.params[0])
      if (call.method !== 'eth_getBlockReceipts' || at < 30 || !Array.isArray(result)) return result
      return result.length === 0 ? ['none'] : change(structuredClone(result))
    }
  return [
    ['another height', inBlock((block) => ({ ...block, number: '0x3' }))],
    ['gas that does not add up', inBlock((block) => ({ ...block, gasUsed: '0x1' }))],
    ['transactions lost', inBlock((block) => ({ ...block, transactions: [] }))],
    ['a hash of another form', inBlock((block) => ({ ...block, hash: '0x12' }))],
    ['not a block', inBlock(() => 'block')],
    ['receipts reordered', inReceipts((all) => (all.length > 1 ? all.toReversed() : ['one']))],
    [
      'a receipt of another block',
      inReceipts(([first, ...rest]) => [{ ...first, blockHash: '0x' }, ...rest]),
    ],
    ['receipts that are no list', inReceipts(() => ({}))],
    ['a log lost', inReceipts((all) => withoutFirstLog(all))],
  ]
}

function withoutFirstLog(receipts: Record<string, unknown>[]): unknown {
  for (const receipt of receipts) {
    const { logs } = receipt
    if (!Array.isArray(logs) || logs.length < 1) continue
    // The last log of a block could vanish unseen by indexes alone, so the first goes.
    receipt['logs'] = logs.slice(1)
    return receipts.some((each) => each !== receipt || logs.length > 1) ? receipts : ['only']
  }
  return ['none']
}

/** Another history from `height` on: consistent in itself, linked to nothing before. */
function forkAt(height: number): Lie {
  const hashes = new Map<number, string>()
  const hashAt = (at: number): string => {
    const known = hashes.get(at)
    if (known !== undefined) return known
    const header = { ...truth.headers[at], parentHash: at < height ? madeUp : hashAt(at - 1) }
    const hash = at < height ? madeUp : to0x(headerHash(header) ?? new Uint8Array())
    hashes.set(at, hash)
    return hash
  }
  return (call, result) => {
    if (!['eth_getBlockByNumber', 'eth_getBlockReceipts'].includes(call.method)) return result
    const at = Number(call.params[0])
    if (at < height || result === null) return result
    return JSON.parse(
      JSON.stringify(result, (key, value: unknown) => {
        if (key === 'parentHash') return hashAt(at - 1)
        return key === 'blockHash' || (key === 'hash' && !isTxHash(value)) ? hashAt(at) : value
      }),
    )
  }
}

const madeUp = `0x${'77'.repeat(32)}`

function isTxHash(hash: unknown): boolean {
  return truth.txHashes.has(String(hash))
}
