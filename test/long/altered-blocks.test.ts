/**
 * Nodes that alter blocks so that they agree with themselves, and chains whose blocks are not made
 * as we know it: the former are not believed, the latter are not accused.
 */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../src/codec/evm/raw.ts'
import { toHex } from '../../src/core/bytes.ts'
import { sha256 } from '../../src/core/hash.ts'
import { head, type Lie, ran, type Setting } from '../support/nodes/bad-node.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import { freshFolder, startFirn, until, untilLive } from '../support/processes/firn-process.ts'

type Block = Record<string, unknown>

/** Below this height nobody lies: what headers of this chain are is known by then. */
const firstLie = 13

/** Alterations by a node that only hashes show. Each in transactions and receipts alike. */
const alterations: readonly [string, (block: Block) => Block][] = [
  ['the value of a transaction', (block) => inFirstTx(block, { value: '0x123456789' })],
  ['the input of a transaction', (block) => inFirstTx(block, { input: '0xa9059cbb' })],
  ['the nonce of a transaction', (block) => inFirstTx(block, { nonce: '0x7777' })],
  ['the bloom', (block) => ({ ...block, logsBloom: `0x${'01'.repeat(256)}` })],
  ['the timestamp', (block) => ({ ...block, timestamp: later(block['timestamp']) })],
  ['the base fee', (block) => ({ ...block, baseFeePerGas: '0x1' })],
  ['the gas limit', (block) => ({ ...block, gasLimit: '0xffffff0' })],
  ['a time in milliseconds', (block) => ({ ...block, timestampMilliseconds: '0x199999999' })],
]

for (const [name, change] of alterations) {
  void test(`${name} altered: the honest endpoint is read, the lie is not`, async () => {
    const run = await ran({ lie: inBlocks(firstLie, change), honest: true, stepwise: true })
    run.isWhole()
    assert.deepEqual(run.unchecked(), { header: 0, transactions: 0, bloom: 0 })
  })
}

for (const [name, change] of alterations.filter(([each]) => !each.includes('milliseconds')))
  void test(`${name} altered: alone, nothing of it is handed on`, async () => {
    const run = await ran({
      lie: inBlocks(firstLie, change),
      stepwise: true,
      until: (_, clock) => clock.elapsedMs() > 120_000,
    })
    // Blocks without a transaction have nothing of one to alter.
    assert.ok(run.stage('blocks').indexedHeight < head / 2, `${run.stage('blocks').indexedHeight}`)
    assert.match(run.stage('blocks').reason ?? '', /(header|transactions) .* at height [0-9]+$/)
    assert.notEqual(run.stage('blocks').state, 'live')
    assert.ok(run.node.requests() < 4_000, `no hot loop: ${run.node.requests()}`)
  })

void test('a hash of a transaction altered everywhere: the honest endpoint is read', async () => {
  const run = await ran({ lie: otherTxHashes, honest: true, stepwise: true })
  run.isWhole()
})

void test('altered from the first block on: another endpoint must agree before it is believed', async () => {
  for (const [name, change] of alterations) {
    const run = await ran({ lie: inBlocks(1, change), honest: true, stepwise: true })
    run.isWhole()
    assert.equal(run.unchecked().header, 0, name)
  }
})

void test('transactions altered from the first block on: alone, nothing of it is handed on', async () => {
  const run = await ran({
    lie: inBlocks(1, (block) => inFirstTx(block, { value: '0x123456789' })),
    stepwise: true,
    until: (_, clock) => clock.elapsedMs() > 60_000,
  })
  assert.equal(run.stage('blocks').indexedHeight, 0, 'genesis, which nobody altered')
  assert.match(run.stage('blocks').reason ?? '', /transactions are not those of the header/)
})

void test('hashes made up: the chain is read, unchecked blocks are counted and logged once', async () => {
  for (const setting of [{}, { stepwise: true }, { honest: true }] satisfies Setting[]) {
    const honest = 'honest' in setting
    const run = await ran({ ...setting, lie: otherHashesFrom(0), alike: honest })
    assert.equal(run.stage('blocks').indexedHeight, head)
    assert.ok(run.unchecked().header > 0)
    assert.deepEqual({ ...run.unchecked(), header: 0 }, { header: 0, transactions: 0, bloom: 0 })
    assert.deepEqual(said(run.warnings), ['blocks are not checked header'])
  }
})

void test('hashes, roots and blooms made up: the chain is read all the same', async () => {
  const madeUp = otherHashesFrom(0)
  const run = await ran({
    lie: (call, result) =>
      inBlocks(1, (block) => ({
        ...block,
        transactionsRoot: `0x${'12'.repeat(32)}`,
        logsBloom: `0x${'21'.repeat(256)}`,
      }))(call, madeUp(call, result)),
    stepwise: true,
  })
  assert.equal(run.stage('blocks').indexedHeight, head)
  assert.ok(Object.values(run.unchecked()).every((count) => count > 0))
  assert.deepEqual(said(run.warnings), [
    'blocks are not checked header',
    'blocks are not checked transactions',
    'blocks are not checked bloom',
  ])
})

void test('an upgrade that adds a field to headers: the chain is read on, and the status says so', async () => {
  const upgraded = otherHashesFrom(30)
  const run = await ran({
    lie: (call, result) =>
      inBlocks(30, (block) => ({ ...block, newRoot: '0x12' }))(call, upgraded(call, result)),
    stepwise: true,
  })
  assert.equal(run.stage('blocks').indexedHeight, head)
  assert.deepEqual(said(run.warnings), ['blocks are not checked header'])
  assert.match(run.warnings[0] ?? '', /newRoot/)
  assert.ok(run.unchecked().header > 20)
})

void test('other hashes without another field: a fault of the endpoint, not an upgrade', async () => {
  const run = await ran({
    lie: otherHashesFrom(30),
    stepwise: true,
    until: (_, clock) => clock.elapsedMs() > 120_000,
  })
  assert.ok(run.stage('blocks').indexedHeight < 30)
  assert.match(run.stage('blocks').reason ?? '', /header does not have the hash of its block/)
})

void test('unknown transaction types: kept, counted and logged once', async () => {
  const run = await ran({
    lie: inBlocks(firstLie, (block) => inFirstTx(block, { type: '0x7e' })),
    stepwise: true,
  })
  assert.equal(run.stage('blocks').indexedHeight, head)
  assert.ok(run.unchecked().transactions > 0)
  assert.deepEqual(said(run.warnings), ['blocks are not checked transactions'])
  assert.match(run.warnings[0] ?? '', /type 126/)
})

void test('far behind the head, with samples configured: the samples are checked, and the first blocks', async () => {
  const run = await ran({
    lie: inBlocks(1, (block) => ({ ...block, timestamp: later(block['timestamp']) })),
    checkEvery: 128,
    until: (_, clock) => clock.elapsedMs() > 60_000,
  })
  // Never proven: so it is a form that is not known, of which the first are looked at.
  assert.equal(run.stage('blocks').indexedHeight, head)
  const { header } = run.unchecked()
  assert.ok(header >= 16 && header <= 16 + 8, `checked: ${header}`)
})

void test('a running Firn: counts and logs what it could not check, and nothing of honest chains', async (t) => {
  const file = (name: string): URL => new URL(`../../demo/${name}.firnrec`, import.meta.url)
  const node = await openReplayNode(await readFile(file('chain-51002')))
  node.lie = otherHashesFrom(0)
  const madeUp = await serveReplayNode(node)
  t.after(() => madeUp.close())
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.yaml')
  await writeFile(
    config,
    `chains:
  - { name: Honest, symbol: H, recording: ${fileURLToPath(file('chain-51001'))} }
  - { name: Made Up, symbol: M, rpcUrls: ['${madeUp.url}'], traces: off }
`,
  )
  const firn = await startFirn(t, ['--config', config, '--data-dir', folder])
  await untilLive(firn, ['fuji-honest', 'fuji-made-up'])
  const metrics = await (await fetch(`${firn.nodeUrl}/ext/metrics`)).text()
  const counts = [...metrics.matchAll(/^firn_index_unchecked_total\{(.*)\} (.*)$/gm)]
  assert.deepEqual(
    counts.map(([, labels]) => labels),
    ['chain="fuji-made-up",check="header"'],
  )
  assert.ok(Number(counts[0]?.[2]) >= 8)
  const status = await jsonOf(firn.apiUrl, '/status')
  const unverified = status.chains.map((chain: Block) => [chain['chain'], chain['unverified']])
  assert.deepEqual(unverified, [
    ['fuji-honest', undefined],
    ['fuji-made-up', 'headers are not made in a way that is known, since height 1'],
  ])
  assert.equal(status.chains[0].provenHeight, status.chains[0].indexedHeight)
  assert.equal(status.chains[1].provenHeight, 0)
  let health = await jsonOf(firn.nodeUrl, '/ext/health')
  await until('health names the unverified chain', async () => {
    health = await jsonOf(firn.nodeUrl, '/ext/health')
    return health.checks.chains.message.unverified !== undefined
  })
  assert.equal(health.healthy, true)
  assert.deepEqual(health.checks.chains.message.unverified, ['fuji-made-up'])
  assert.equal(await firn.end(), 0)
  const log = await readFile(join(folder, 'logs', 'fuji-made-up.log'), 'utf8')
  assert.equal(log.split('blocks are not checked').length, 2, 'said once')
  // What is not proven is known to whoever serves the stores, and to the next indexer.
  const serving = await startFirn(t, ['--config', config, '--data-dir', folder, '--role', 'serve'])
  const served = await jsonOf(serving.apiUrl, '/status')
  assert.deepEqual(provenOf(served), provenOf(status))
  assert.equal(await serving.end(), 0)
  await madeUp.close()
  const again = await startFirn(t, ['--config', config, '--data-dir', folder])
  await untilLive(again, ['fuji-honest'])
  await until('the store is open', async () => {
    const [, chain] = provenOf(await jsonOf(again.apiUrl, '/status'))
    return chain?.[0] === 0
  })
})

function provenOf(status: { readonly chains: readonly Block[] }): unknown[][] {
  return status.chains.map((chain) => [chain['provenHeight'], chain['unverified']])
}

// oxlint-disable-next-line typescript/no-explicit-any -- read field by field
async function jsonOf(url: string, path: string): Promise<any> {
  return JSON.parse(await (await fetch(`${url}${path}`)).text())
}

/** Events and the checks they are about. */
function said(warnings: readonly string[]): readonly string[] {
  return warnings
    .filter((line) => line.startsWith('blocks are not checked'))
    .map((line) => line.replace(/ \{.*"check":"([a-z]+)".*/, ' $1'))
}

function inBlocks(from: number, change: (block: Block) => Block): Lie {
  return (call, result) =>
    call.method === 'eth_getBlockByNumber' &&
    call.params[1] === true &&
    Number(call.params[0]) >= from &&
    result !== null
      ? change({ ...objectOf(result, 'block') })
      : result
}

function inFirstTx(block: Block, change: Block): Block {
  const { transactions } = block
  if (!Array.isArray(transactions)) return block
  return {
    ...block,
    transactions: transactions.map((tx: object, index) =>
      index === 0 ? { ...tx, ...change } : tx,
    ),
  }
}

function later(timestamp: unknown): string {
  return `0x${(Number(timestamp) + 1).toString(16)}`
}

function otherHash(hash: unknown): string {
  return `0x${toHex(sha256(Buffer.from(String(hash))))}`
}

/** Another history from `height` on that links to the one before it. */
function otherHashesFrom(height: number): Lie {
  return (call, result) => {
    if (!['eth_getBlockByNumber', 'eth_getBlockReceipts'].includes(call.method)) return result
    const at = Number(call.params[0])
    if (!(at >= height) || result === null) return result
    const swap = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(swap)
      if (typeof value !== 'object' || value === null) return value
      const copy: Block = { ...value }
      if ('blockHash' in copy) copy['blockHash'] = otherHash(copy['blockHash'])
      if ('parentHash' in copy) {
        copy['hash'] = otherHash(copy['hash'])
        if (at > height) copy['parentHash'] = otherHash(copy['parentHash'])
      }
      for (const name of ['transactions', 'logs']) if (name in copy) copy[name] = swap(copy[name])
      return copy
    }
    return swap(result)
  }
}

/** Every transaction under another hash, its receipt and logs too. */
function otherTxHashes(...[call, result]: Parameters<Lie>): unknown {
  if (!['eth_getBlockByNumber', 'eth_getBlockReceipts'].includes(call.method)) return result
  if (!(Number(call.params[0]) >= firstLie) || call.params[1] === false) return result
  return JSON.parse(
    JSON.stringify(result, function (this: Block, key, value: unknown) {
      const isTx = key === 'transactionHash' || (key === 'hash' && 'nonce' in this && 'to' in this)
      return isTx ? otherHash(value) : value
    }),
  )
}
