/** Blocks read from the text of replies: the same columns as from objects, or none. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { ChainText } from '../bench/evm-chain.ts'
import { batchSum } from '../src/codec/evm/batch-sum.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { decodeText } from '../src/codec/evm/decode-text.ts'
import type { RawUnit } from '../src/codec/evm/raw.ts'
import { TextBlock, TextReceipts, TextReader, TextUnit } from '../src/codec/evm/text-unit.ts'
import { BlockChecks } from '../src/indexing/evm/read/block-checks.ts'
import { silentLog } from '../src/telemetry/log.ts'

const reader = new TextReader()
const shape = { blocks: 4, txsPerBlock: 4, holders: 50, tokens: 5, seed: 3 }
const plainBody = replyOf(linesOf({ ...shape, blocks: 2 }))
const none = (bytes: Uint8Array): Uint8Array => bytes

void test('text of blocks: columns are those of objects', () => {
  for (const plain of [true, false])
    for (let seed = 1; seed < 20; seed++) {
      const body = replyOf(linesOf({ ...shape, seed, plain }))
      const text = fromText(body)
      assert.ok(text !== undefined, `seed ${seed} is plain`)
      assert.equal(text, fromObjects(body))
    }
})

void test('text of blocks: other keys, another order and rare values give the same', () => {
  fc.assert(
    fc.property(fc.array(change(), { minLength: 1, maxLength: 4 }), (changes) => {
      const lines = linesOf(shape)
      for (const { at, key, value } of changes) {
        const targets = lines.flatMap(objectsIn)
        const target = targets[at % targets.length]!
        const keys = Object.keys(target)
        const name = keys[key % keys.length]!
        const kept = target[name]
        delete target[name]
        if (value !== undefined) target[name] = value === 'same' ? kept : value
      }
      isSame(replyOf(lines))
    }),
    { numRuns: 500, seed: 1 },
  )
})

void test('text of blocks: altered bytes give the same as JSON.parse, or nothing', () => {
  const body = replyOf(linesOf(shape))
  const pieces = [
    '"',
    '\\u0061',
    ' ',
    ',',
    '{}',
    '[]',
    '1',
    'null',
    '"hash":"0x",',
    '\u0000',
    'é',
    '',
  ]
  fc.assert(
    fc.property(
      fc.nat(body.length - 1),
      fc.nat(80),
      fc.constantFrom(...pieces),
      (at, cut, piece) => {
        isSame(
          Buffer.concat([body.subarray(0, at), Buffer.from(piece), body.subarray(at + (cut % 7))]),
        )
      },
    ),
    { numRuns: 2_000, seed: 2 },
  )
})

void test('text of blocks: a text cut off is none, at every byte', () => {
  const body = replyOf(linesOf({ ...shape, blocks: 2, txsPerBlock: 2 }))
  fromText(body)
  for (let size = 0; size < body.length; size++) {
    while (reader.elements(plainBody) === undefined);
    assert.equal(reader.elements(Buffer.from(body.subarray(0, size))), undefined, `size ${size}`)
  }
})

void test('text of blocks: as many short elements as fit are read as objects are, or not at all', () => {
  const [line] = linesOf({ ...shape, blocks: 2 })
  assert.ok(line !== undefined)
  const tx = {
    nonce: '0x1',
    gasPrice: '0x1',
    gas: '0x1',
    value: '0x1',
    input: '0x',
    v: '0x1',
    r: '0x1',
    s: '0x1',
  }
  const receipt = { status: '0x1', cumulativeGasUsed: '0x1', logsBloom: '0x', logs: [] }
  const log = { address: `0x${'11'.repeat(20)}`, topics: [], data: '0x' }
  for (const receipts of [receipt, { ...receipt, logs: [log, log, log] }]) {
    const count = 5_000
    const block = { ...line.block, transactions: Array.from({ length: count }, () => tx) }
    const body = replyOf([{ block, receipts: Array.from({ length: count }, () => receipts) }])
    while (reader.elements(plainBody) === undefined);
    assert.equal(fromText(body), undefined)
    // What comes next finds the memory in order.
    assert.ok(fromText(plainBody) !== undefined)
  }
})

type Line = { block: Record<string, unknown>; receipts: Record<string, unknown>[] }

/** Blocks after genesis. */
function linesOf(of: Parameters<typeof chainOf>[0]): Line[] {
  return chainOf(of).slice(1)
}

function chainOf(of: ConstructorParameters<typeof ChainText>[0]): Line[] {
  const chain = new ChainText(of)
  const lines: Line[] = []
  for (let text = chain.next(); text !== undefined; text = chain.next())
    lines.push(JSON.parse(text))
  return lines
}

function replyOf(lines: readonly Line[]): Buffer {
  return Buffer.from(
    JSON.stringify(
      lines.flatMap(({ block, receipts }, at) => [
        { jsonrpc: '2.0', id: at * 2, result: block },
        { jsonrpc: '2.0', id: at * 2 + 1, result: receipts },
      ]),
    ),
  )
}

function objectsIn({ block, receipts }: Line): Record<string, unknown>[] {
  const list = (value: unknown) =>
    Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
  return [
    block,
    ...list(block['transactions']),
    ...receipts,
    ...receipts.flatMap((receipt) => list(receipt['logs'])),
  ]
}

function change() {
  const value = fc.constantFrom(
    'same',
    undefined,
    null,
    1,
    true,
    [],
    {},
    '',
    '0x',
    '0x0',
    '0x00',
    'Ã',
    '0xzz',
    `0x${'f'.repeat(80)}`,
    'a"b',
  )
  return fc.record({ at: fc.nat(200), key: fc.nat(30), value })
}

/** What is read from the text is what `JSON.parse`, the checks and the decoder give. */
function isSame(body: Buffer): void {
  // After many that are not plain a reply is not tried: one that is plain makes it so again.
  while (reader.elements(plainBody) === undefined);
  const elements = reader.elements(body)
  if (elements !== undefined) {
    const parsed: { id: number; result: unknown }[] = JSON.parse(body.toString())
    assert.equal(elements.length, parsed.length)
    for (const [at, element] of elements.entries()) {
      const { id, result } = element as { id: number; result: unknown }
      assert.ok(result instanceof TextBlock || result instanceof TextReceipts)
      assert.deepEqual(
        { id, result: result.parsed() },
        { id: parsed[at]!.id, result: parsed[at]!.result },
      )
    }
  }
  const text = fromText(body)
  if (text !== undefined) assert.equal(text, fromObjects(body))
}

/** Sum of the columns read from text; undefined where they are not. */
function fromText(body: Buffer): string | undefined {
  const results = reader.elements(body)?.map((element) => (element as { result: unknown }).result)
  if (results === undefined) return undefined
  const units: TextUnit[] = []
  for (let at = 0; at < results.length; at += 2) {
    const [block, receipts] = [results[at], results[at + 1]]
    if (!(block instanceof TextBlock) || !(receipts instanceof TextReceipts)) return undefined
    units.push(new TextUnit(block, receipts))
  }
  const batch = decodeText(1, units, none)
  return batch === undefined ? undefined : batchSum(batch)
}

function fromObjects(body: Buffer): string {
  const results: unknown[] = JSON.parse(body.toString()).map(
    ({ result }: { result: unknown }) => result,
  )
  const units: RawUnit[] = []
  for (let at = 0; at < results.length; at += 2)
    units.push({ block: results[at] as object, receipts: results[at + 1] as unknown[] })
  const checks = new BlockChecks({ log: silentLog, endpoints: () => [], checkEvery: 1 })
  const verdicts: string[] = []
  const judged = (_: number, verdict: string): unknown => verdicts.push(verdict)
  const good = checks.checkAll(units, { from: 1, origin: 'a', wants: () => true, judged })
  assert.deepEqual(
    verdicts,
    units.map(() => 'proven'),
  )
  const batch = decodeBlocks(1, good, none)
  assert.equal(batch.until, 1 + units.length)
  return batchSum(batch)
}
