/**
 * Hashes of headers, transactions roots and blooms against blocks of real nodes, and altered ones.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { checkReceipts, compareBloom } from '../../src/codec/evm/proof/check-receipts.ts'
import {
  compareHeader,
  headerFormOf,
  unknownFields,
} from '../../src/codec/evm/proof/header-hash.ts'
import {
  compareTransactions,
  encodeTransaction,
  type TransactionsOutcome,
} from '../../src/codec/evm/proof/transactions-root.ts'
import { type RawUnit, listOf, objectOf } from '../../src/codec/evm/raw.ts'
import { to0x } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { keccak256 } from '../../src/core/hash.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'

type Header = Readonly<Record<string, unknown>>
type Chain = { readonly name: string; readonly units: readonly RawUnit[] }

const chains: readonly Chain[] = JSON.parse(
  gunzipSync(
    await readFile(new URL('../../vectors/evm/blocks.json.gz', import.meta.url)),
  ).toString(),
).chains
const headers: readonly { readonly chain: string; readonly block: Header }[] = JSON.parse(
  await readFile(new URL('../../vectors/evm/headers.json', import.meta.url), 'utf8'),
).blocks

/** anvil gives its genesis fields of later hard forks that the hash does not have. */
const isOddGenesis = (name: string, { block }: RawUnit): boolean =>
  block.number === '0x0' && /london|paris/.test(name)

void test('headers: those of public networks have the hashes of their blocks', () => {
  for (const { chain, block } of headers) {
    assert.equal(compareHeader(block), 'hold', chain)
    assert.deepEqual(unknownFields(block), [], chain)
    if ('transactions' in block) assert.equal(compareTransactions(block), 'hold', chain)
  }
  assert.equal(headers.length, 5)
})

void test('blocks of AvalancheGo and anvil: header, transactions, receipts and bloom hold in each', () => {
  const forms = new Set<string>()
  const types = new Set<unknown>()
  for (const { name, units } of chains)
    for (const unit of units) {
      const at = `${name} ${String(unit.block.number)}`
      if (!isOddGenesis(name, unit)) assert.equal(compareHeader(unit.block), 'hold', at)
      const outcome = compareTransactions(unit.block)
      const withBlobs = JSON.stringify(unit.block.transactions).includes('"blobs"')
      if (withBlobs) assert.deepEqual(outcome, { unknown: 'type 3 with its blobs' }, at)
      else assert.ok(isGood(outcome), at)
      assert.notEqual(compareBloom(unit), 'broken', at)
      checkReceipts(unit, Number(unit.block.number))
      forms.add(headerFormOf(unit.block))
      for (const tx of listOf(unit.block.transactions, 'transactions')) {
        types.add(objectOf(tx, 'transaction')['type'])
      }
    }
  assert.equal(forms.size, 11, [...forms].join('\n'))
  assert.deepEqual(types, new Set(['0x0', '0x1', '0x2', '0x3', '0x4']))
})

void test('demo chains: header, transactions and bloom hold in each block', async () => {
  for (const id of [51001, 51002]) {
    const file = new URL(`../../demo/chain-${id}.firnrec`, import.meta.url)
    const recording = openRecording(await readFile(file))
    const check = (units: readonly RawUnit[]): void => {
      for (const unit of units) {
        assert.equal(compareHeader(unit.block), 'hold')
        assert.ok(isGood(compareTransactions(unit.block)))
        assert.notEqual(compareBloom(unit), 'broken')
      }
    }
    await recording.blocks(recording.heights, check, new AbortController().signal)
  }
})

void test('blob transactions: encoded without their blobs they have their hash', () => {
  let found = 0
  for (const { units } of chains)
    for (const { block } of units)
      for (const one of listOf(block.transactions, 'transactions')) {
        const { blobs, ...tx } = objectOf(one, 'transaction')
        if (blobs === undefined) continue
        const bytes = encodeTransaction(tx)
        assert.ok(!('unknown' in bytes))
        assert.equal(to0x(keccak256(bytes)), tx['hash'])
        found++
      }
  assert.equal(found, 2)
})

void test('headers: a change of any field is found, in each form', () => {
  const beside = new Set(['size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals'])
  for (const block of [...headers.map((each) => each.block), ...onePerForm()]) {
    for (const [name, value] of Object.entries(block)) {
      if (beside.has(name) || name === 'blockExtraData') continue
      const changed = { ...block, [name]: altered(value) }
      assert.equal(compareHeader(changed), 'broken', `${name} of ${headerFormOf(block)}`)
      // A quantity left out before another field is the same as zero.
      if (value === '0x0') continue
      const { [name]: _, ...without } = block
      assert.equal(compareHeader(without), 'broken', `without ${name} of ${headerFormOf(block)}`)
    }
    // What the store keeps of headers cannot be added to one that does not have it either.
    for (const name of ['timestampMilliseconds', 'minDelayExcess', 'blockGasCost', 'baseFeePerGas'])
      if (!(name in block))
        assert.equal(compareHeader({ ...block, [name]: '0x1' }), 'broken', `with ${name}`)
  }
})

void test('transactions: a change of any field that is signed is found, in each type', () => {
  const unsigned = new Set([
    'blockHash',
    'blockNumber',
    'blockTimestamp',
    'transactionIndex',
    'from',
  ])
  const seen = new Set<string>()
  for (const { block } of chains.flatMap(({ units }) => units)) {
    const [first, ...rest] = listOf(block.transactions, 'transactions')
    if (first === undefined || compareTransactions(block) !== 'hold') continue
    const tx = objectOf(first, 'transaction')
    for (const [name, value] of Object.entries(tx)) {
      if (unsigned.has(name) || isImplied(name, tx)) continue
      const change = { ...block, transactions: [{ ...tx, [name]: altered(value) }, ...rest] }
      assert.notEqual(outcomeOf(change), 'hold', `${name} of type ${String(tx['type'])}`)
    }
    seen.add(String(tx['type']))
  }
  assert.deepEqual([...seen].toSorted(), ['0x0', '0x1', '0x2', '0x4'])
})

void test('transactions: a lost, moved or doubled one is found', () => {
  const busy = chains
    .flatMap(({ units }) => units)
    .find(({ block }) => listOf(block.transactions, 'transactions').length > 1)
  assert.ok(busy)
  const all = listOf(busy.block.transactions, 'transactions')
  for (const transactions of [all.slice(1), all.toReversed(), [...all, ...all.slice(-1)], []])
    assert.equal(compareTransactions({ ...busy.block, transactions }), 'broken')
})

void test('transactions: an unknown type, or one without all of its fields, is unknown, not broken', () => {
  const block = chains[0]?.units.find((unit) => unit.receipts.length > 0)?.block ?? {}
  const [tx] = listOf(block.transactions, 'transactions').map((each) => objectOf(each, 'tx'))
  const outcome = (changed: object): unknown =>
    compareTransactions({ ...block, transactions: [{ ...tx, ...changed }] })
  assert.deepEqual(outcome({ type: '0x7e' }), { unknown: 'type 126' })
  assert.deepEqual(outcome({ r: undefined }), { unknown: 'type 0 without all of its fields' })
})

void test('bloom: a change of a log, its topics or the filter is found', () => {
  const unit = chains.flatMap(({ units }) => units).find((each) => compareBloom(each) === 'hold')
  assert.ok(unit)
  const text = JSON.stringify(unit.receipts)
  const changes = [
    text.replace(/("address":"0x)./, '$1e'),
    text.replace(/("topics":\["0x)./, '$1e'),
    text.replace(/"logs":\[\{.*?\}\]/, '"logs":[]'),
  ]
  for (const changed of changes) {
    assert.notEqual(changed, text)
    assert.equal(compareBloom({ ...unit, receipts: JSON.parse(changed) }), 'broken')
  }
  const block = { ...unit.block, logsBloom: altered(unit.block.logsBloom) }
  assert.equal(compareBloom({ ...unit, block }), 'broken')
})

function isGood(outcome: TransactionsOutcome): boolean {
  return outcome === 'hold' || outcome === 'none'
}

/** The first block of each form of headers whose hash holds. */
function onePerForm(): readonly Header[] {
  const byForm = new Map<string, Header>()
  for (const { block } of chains.flatMap(({ units }) => units)) {
    const form = headerFormOf(block)
    if (!byForm.has(form) && compareHeader(block) === 'hold') byForm.set(form, { ...block })
  }
  return [...byForm.values()]
}

/** Fields that repeat what another one says, and are not hashed themselves. */
function isImplied(name: string, tx: Readonly<Record<string, unknown>>): boolean {
  // What development nodes send in another's name has a hash of their own making.
  if (name === 'hash' && tx['r'] === '0x0') return true
  if (tx['type'] === '0x0') return name === 'chainId' || name === 'type'
  return name === 'gasPrice' ? tx['type'] !== '0x1' : name === 'v'
}

function outcomeOf(block: object): unknown {
  try {
    return compareTransactions(block)
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'node-answer')
    return 'fault'
  }
}

/** Another value of the same kind. */
function altered(value: unknown): unknown {
  if (Array.isArray(value)) return [...value, ...(value.length > 0 ? [value[0]] : [{}])]
  if (typeof value !== 'string') return '0x0000000000000000000000000000000000000001'
  if (value.length === 2) return '0x11'
  return `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`
}
