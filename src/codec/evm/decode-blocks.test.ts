import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toBigint, toHex } from '../../core/bytes.ts'
import { Fault, type FaultCode } from '../../core/fault.ts'
import type { Slices } from './columns/column-kinds.ts'
import { type BlockBatch, transferKinds } from './columns/columns.ts'
import { decodeBlocks } from './decode-blocks.ts'
import type { RawUnit } from './raw.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const batchTopic = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
const singleTopic = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const alice = 'a1'.repeat(20)
const bob = 'b0'.repeat(20)

void test('transfers: the form of a log decides what it is', () => {
  const { erc20, erc721, erc721OneTopic, oneIndexed, twoIndexed, erc1155Single } = transferKinds
  kinds([transferTopic, word(alice), word(bob)], `0x${word('05', '')}`, [erc20])
  kinds([transferTopic, word(alice), word(bob)], `0x${word('05', '')}ffff`, [erc20])
  kinds([transferTopic, word(alice), word(bob)], '0x', [])
  kinds([transferTopic, word(alice), word(bob)], '0x05', [])
  kinds([transferTopic, word(alice)], `0x${word(bob, '')}${word('06', '')}`, [oneIndexed])
  kinds([transferTopic, word(alice)], `0x${word('06', '')}`, [])
  // An amount among the topics and an address in data: who is what, the contract must say.
  kinds([transferTopic, word(alice), word('05')], `0x${word(bob, '')}`, [twoIndexed])
  kinds([transferTopic, word(alice), word('')], `0x${word('05', '')}`, [erc20])
  kinds([transferTopic, word(alice), word(bob), word('07')], '0x', [erc721])
  kinds([transferTopic, word(alice), word(bob), word('07')], `0x${word('01', '')}`, [])
  kinds([transferTopic], `0x${word(alice, '')}${word(bob, '')}${word('07', '')}`, [erc721OneTopic])
  kinds([transferTopic], `0x${word(alice, '')}${word(bob, '')}`, [])
  kinds([singleTopic, word('01'), word(alice), word(bob)], `0x${word('07', '')}${word('08', '')}`, [
    erc1155Single,
  ])
  kinds([singleTopic, word('01'), word(alice), word(bob)], `0x${word('07', '')}`, [])
  kinds([], '0x', [])
  kinds([word('99')], '0x', [])
})

void test('blocks: gas limits of 63 bits keep their digits', () => {
  const unit = editable([])
  const block = { ...unit.block, gasLimit: '0x7fffffffffffffff' }
  const txs = unit.txs.map((tx) => ({ ...tx, gas: '0xffffffffffffffff' }))
  const batch = decodeBlocks(7, [sealed({ ...unit, block, txs })], same)
  assert.equal(slice(batch, batch.blocks.gasLimit, 0), 2n ** 63n - 1n)
  assert.equal(slice(batch, batch.txs.gasLimit, 0), 2n ** 64n - 1n)
})

void test('logs: contracts are named that logged what no known event explains', () => {
  const approval = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
  const known = [{ topics: [approval, word(alice), word(bob)], data: `0x${word('05', '')}` }]
  assert.equal(decoded(known).unexplained.length, 0)
  const painted = { topics: [word('99')], data: '0x' }
  assert.equal(decoded([...known, painted, painted]).unexplained.length, 20)
})

void test('transfers: a batch is one row per pair, a malformed one is none', () => {
  const { erc1155Batch } = transferKinds
  const topics = [batchTopic, word('01'), word(alice), word(bob)]
  const pairs = batchData([3n, 3n], [0n, 9n])
  kinds(topics, pairs, [erc1155Batch, erc1155Batch])
  kinds(topics, batchData([], []), [])
  kinds(topics, batchData([1n, 2n], [5n]), [])
  kinds(topics, pairs.slice(0, -64), [])
  kinds(topics, `0x${'ff'.repeat(64)}`, [])
  kinds(topics, `0x${word('40', '')}${word('40', '')}`, [])
  kinds(topics, `0x${word('00', '')}${word(`${'ff'.repeat(7)}00`, '')}`, [])
})

void test('transfers: ends, value and token id are those of the log', () => {
  const batch = decoded([
    { topics: [transferTopic, word(`dead${alice}`), word(bob)], data: `0x${word('0100', '')}` },
    {
      topics: [batchTopic, word('01'), word(alice), word(bob)],
      data: batchData([3n, 4n], [0n, 9n]),
    },
  ])
  const { transfers } = batch
  assert.deepEqual([...transfers.batchIndex], [0, 0, 1])
  assert.deepEqual([...transfers.logIndex], [0, 1, 1])
  assert.deepEqual(
    [0, 1, 2].map((at) => slice(batch, transfers.value, at)),
    [256n, 0n, 9n],
  )
  assert.deepEqual(
    [0, 1, 2].map((at) => slice(batch, transfers.tokenId, at)),
    [0n, 3n, 4n],
  )
  for (const at of [0, 1, 2]) {
    assert.equal(address(batch, transfers.from[at]), alice, `from ${at}`)
    assert.equal(address(batch, transfers.to[at]), bob, `to ${at}`)
  }
})

void test('block: what a node must not answer is a fault', () => {
  const cases: [string, FaultCode, (unit: Editable) => void][] = [
    ['another height', 'node-answer', (unit) => (unit.block['number'] = '0x8')],
    ['no receipts', 'node-not-yet', (unit) => (unit.receipts = [])],
    ['one receipt more', 'node-answer', (unit) => unit.receipts.push(unit.receipts[0] ?? {})],
    [
      'receipt of another transaction',
      'node-answer',
      (unit) => (first(unit.receipts)['transactionHash'] = hash('77')),
    ],
    [
      'receipt of another block',
      'node-answer',
      (unit) => (first(unit.receipts)['blockHash'] = hash('77')),
    ],
    [
      'transaction of another block',
      'node-answer',
      (unit) => (first(unit.txs)['blockHash'] = hash('77')),
    ],
    ['index out of order', 'node-answer', (unit) => (first(unit.txs)['transactionIndex'] = '0x1')],
    [
      'a log lost',
      'node-answer',
      (unit) => (first(first(unit.receipts)['logs'])['logIndex'] = '0x1'),
    ],
    ['gas does not add up', 'node-answer', (unit) => (unit.block['gasUsed'] = '0x5209')],
    ['value is not hex', 'node-answer', (unit) => (first(unit.txs)['value'] = '0xzz')],
    ['sender is not an address', 'node-answer', (unit) => (first(unit.txs)['from'] = '0x12')],
    ['input has half a byte', 'node-answer', (unit) => (first(unit.txs)['input'] = '0x123')],
    [
      'input has a letter that is no digit',
      'node-answer',
      (unit) => (first(unit.txs)['input'] = `0x${'ab'.repeat(39)}0g`),
    ],
    ['gas is a number', 'node-answer', (unit) => (first(unit.txs)['gas'] = 5)],
    ['transactions are missing', 'node-answer', (unit) => delete unit.block['transactions']],
  ]
  assert.equal(decodeBlocks(7, [sealed(editable([]))], same).txs.count, 1)
  for (const [name, code, change] of cases) {
    const unit = editable([{ topics: [word('99')], data: '0x' }])
    change(unit)
    assert.throws(
      () => decodeBlocks(7, [sealed(unit)], same),
      (error) => error instanceof Fault && error.code === code,
      name,
    )
  }
})

void test('block: gas of the header is not compared where execution comes later', () => {
  const unit = editable([])
  unit.block['gasUsed'] = '0xffff'
  unit.block['settledHeight'] = '0x1'
  assert.equal(decodeBlocks(7, [sealed(unit)], same).blocks.count, 1)
})

void test('block: those before one that does not fit are given, that one is refused', () => {
  const next = editable([])
  next.block['number'] = '0x8'
  next.block['parentHash'] = hash('bb')
  next.block['hash'] = hash('cc')
  for (const part of [next.txs[0], next.receipts[0]]) if (part) part['blockHash'] = hash('cc')
  const until = (unit: Editable): number =>
    decodeBlocks(7, [sealed(editable([])), sealed(unit)], same).until
  assert.equal(until(next), 9)
  const changes: ((unit: Editable) => void)[] = [
    (unit) => (unit.block['parentHash'] = hash('dd')),
    (unit) => (unit.block['number'] = '0x9'),
    (unit) => (first(unit.txs)['value'] = '0x'),
    (unit) => (first(unit.txs)['hash'] = '0x12'),
    (unit) => (unit.receipts = []),
  ]
  for (const [at, change] of changes.entries()) {
    const unit = structuredClone(next)
    change(unit)
    assert.equal(until(unit), at === 2 ? 9 : 8, `change ${at}`)
  }
})

void test('block: fields of Avalanche headers are kept, absent ones are not zero', () => {
  const plain = decodeBlocks(7, [sealed(editable([]))], same).blocks
  assert.deepEqual(
    [plain.timestampMs[0], plain.minDelayExcess[0], plain.blockGasCost[0], plain.hasBaseFee[0]],
    [-1, -1, 0, 0],
  )
  const unit = editable([])
  Object.assign(unit.block, {
    timestampMilliseconds: '0x19ab1f3c2a1',
    minDelayExcess: '0x0',
    blockGasCost: '0x5',
    baseFeePerGas: '0x0',
  })
  const full = decodeBlocks(7, [sealed(unit)], same).blocks
  assert.deepEqual(
    [full.timestampMs[0], full.minDelayExcess[0], full.blockGasCost[0], full.hasBaseFee[0]],
    [0x19ab1f3c2a1, 0, 5, 1],
  )
})

type Json = Record<string, unknown>
type Editable = { block: Json; txs: Json[]; receipts: Json[] }
type Log = { readonly topics: readonly string[]; readonly data: string }

function same(bytes: Uint8Array): Uint8Array {
  return bytes
}

function hash(byte: string): string {
  return `0x${byte.repeat(32)}`
}

function word(digits: string, prefix = '0x'): string {
  return prefix + digits.padStart(64, '0')
}

function batchData(ids: readonly bigint[], values: readonly bigint[]): string {
  const list = (all: readonly bigint[]): string =>
    [BigInt(all.length), ...all].map((each) => word(each.toString(16), '')).join('')
  const second = 64 + 32 * (ids.length + 1)
  return `0x${word('40', '')}${word(second.toString(16), '')}${list(ids)}${list(values)}`
}

/** A block with one transaction, as a node would answer it. */
function editable(logs: readonly Log[]): Editable {
  const place = { blockHash: hash('bb'), transactionIndex: '0x0' }
  return {
    block: {
      number: '0x7',
      hash: hash('bb'),
      parentHash: hash('aa'),
      timestamp: '0x65',
      gasUsed: '0x5208',
      gasLimit: '0xe4e1c0',
      transactions: [],
    },
    txs: [
      {
        ...place,
        hash: hash('11'),
        from: `0x${alice}`,
        to: `0x${bob}`,
        value: '0x1',
        gas: '0x5208',
        gasPrice: '0x5d21dba00',
        nonce: '0x0',
        type: '0x0',
        input: '0x',
      },
    ],
    receipts: [
      {
        ...place,
        transactionHash: hash('11'),
        status: '0x1',
        contractAddress: null,
        gasUsed: '0x5208',
        cumulativeGasUsed: '0x5208',
        effectiveGasPrice: '0x5d21dba00',
        logs: logs.map((log, index) => ({
          ...log,
          address: `0x${'cc'.repeat(20)}`,
          logIndex: `0x${index.toString(16)}`,
        })),
      },
    ],
  }
}

function sealed(unit: Editable): RawUnit {
  if ('transactions' in unit.block) unit.block['transactions'] = unit.txs
  return { block: unit.block, receipts: unit.receipts }
}

function first(list: unknown): Json {
  assert.ok(Array.isArray(list))
  return list[0]
}

function decoded(logs: readonly Log[]): BlockBatch {
  return decodeBlocks(7, [sealed(editable(logs))], same)
}

function kinds(topics: readonly string[], data: string, expected: readonly number[]): void {
  assert.deepEqual([...decoded([{ topics, data }]).transfers.kind], expected, topics.join())
}

function slice(batch: BlockBatch, slices: Slices, at: number): bigint {
  const offset = slices.offset[at] ?? 0
  return toBigint(batch.arena.subarray(offset, offset + (slices.length[at] ?? 0)))
}

function address(batch: BlockBatch, id: number | undefined): string {
  return toHex(batch.addresses.subarray((id ?? 0) * 20, (id ?? 0) * 20 + 20))
}
