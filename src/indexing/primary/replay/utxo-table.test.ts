import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { outputKeyOf } from '../../../codec/primary/ids.ts'
import { sha256 } from '../../../core/hash.ts'
import { outputFlags, type KeptOutput } from '../batch/ledger-rows.ts'
import {
  addOutput,
  addressAt,
  amountAt,
  createdAtAt,
  findOutput,
  flagOutput,
  flagsAt,
  newUtxoTable,
  numberAt,
  traitsAt,
  trimOutputs,
  type UtxoTable,
} from './utxo-table.ts'

const bytesOf = (size: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: size, maxLength: size })
const time = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const allFlags = outputFlags.staked | outputFlags.returned | outputFlags.spent

type Output = KeptOutput & { readonly addresses: readonly Uint8Array[] }

const anyOutput: fc.Arbitrary<Output> = fc.record(
  {
    txId: bytesOf(32),
    outputIndex: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    number: fc.integer({ min: 1, max: 2 ** 36 }),
    createdAt: time,
    amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    traits: time,
    addresses: fc.array(bytesOf(20), { maxLength: 3 }),
    flags: fc.integer({ min: 0, max: allFlags }),
  },
  { noNullPrototype: true },
)

/** The `number`-th of outputs with hashes for ids. */
function numbered(number: number): Output {
  return {
    txId: sha256(Uint8Array.of(number & 255, number >> 8)),
    outputIndex: 0,
    number,
    createdAt: 70,
    amount: 5n,
    traits: 9,
    addresses: [new Uint8Array(20).fill(3)],
    flags: 0,
  }
}

function add(table: UtxoTable, output: Output): number {
  return addOutput(table, output, output.addresses)
}

function has(table: UtxoTable, { txId, outputIndex }: Output): boolean {
  return findOutput(table, txId, outputIndex) !== -1
}

/** The table's fields of an output that it has. */
function kept(table: UtxoTable, { txId, outputIndex }: Output): Output {
  const entry = findOutput(table, txId, outputIndex)
  assert.notEqual(entry, -1)
  const number = numberAt(table, entry)
  const at = addressAt(table, entry)
  return {
    txId,
    outputIndex,
    number,
    createdAt: createdAtAt(table, entry),
    amount: amountAt(table, entry),
    traits: traitsAt(table, entry),
    addresses: at === -1 ? (table.others.get(number) ?? []) : [table.bytes.slice(at, at + 20)],
    flags: flagsAt(table, entry),
  }
}

void test('UTXO table: what is kept comes back as it was', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyOutput, {
        minLength: 1,
        maxLength: 20,
        selector: ({ number }) => number,
      }),
      (outputs) => {
        const table = newUtxoTable('P', 20)
        const known = new Map(outputs.map((one) => [outputKeyOf(one.txId, one.outputIndex), one]))
        for (const output of known.values()) add(table, output)
        for (const output of known.values()) assert.deepEqual(kept(table, output), output)
      },
    ),
  )
})

void test('UTXO table: within a batch nothing is forgotten, and then the oldest', () => {
  const table = newUtxoTable('P', 100)
  for (let number = 1; number <= 5_000; number++) add(table, numbered(number))
  for (let number = 1; number <= 5_000; number++)
    assert.deepEqual(kept(table, numbered(number)), numbered(number))
  trimOutputs(table, table.came)
  for (let number = 1; number <= 5_000; number++)
    assert.equal(has(table, numbered(number)), number > 4_900, `output ${number}`)
})

void test('UTXO table: a name is kept once', () => {
  const table = newUtxoTable('P', 10)
  const entry = add(table, numbered(1))
  assert.equal(add(table, { ...numbered(2), txId: numbered(1).txId }), -1)
  assert.notEqual(add(table, { ...numbered(3), txId: numbered(1).txId, outputIndex: 1 }), -1)
  assert.equal(findOutput(table, numbered(1).txId, 0), entry)
})

void test('UTXO table: a flag is added to what is there', () => {
  const table = newUtxoTable('P', 10)
  const output = { ...numbered(1), flags: outputFlags.staked }
  flagOutput(table, add(table, output), outputFlags.returned)
  assert.equal(kept(table, output).flags, outputFlags.staked | outputFlags.returned)
})

void test('UTXO table: it knows what a map in order of arrival would know', () => {
  const step = fc.record({
    number: fc.integer({ min: 1, max: 40 }),
    trims: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 12 }), fc.array(step), (limit, steps) => {
      const table = newUtxoTable('P', limit)
      // Every one that came, and whether it is still in.
      const model: { readonly number: number; isIn: boolean }[] = []
      for (const { number, trims } of steps) {
        if (trims) {
          trimOutputs(table, table.came)
          for (const one of model.slice(0, Math.max(0, model.length - limit))) one.isIn = false
        } else if (add(table, numbered(number)) !== -1) {
          assert.ok(!model.some((one) => one.number === number && one.isIn))
          model.push({ number, isIn: true })
        }
      }
      for (let number = 1; number <= 40; number++) {
        const isIn = model.some((one) => one.number === number && one.isIn)
        assert.equal(has(table, numbered(number)), isIn, `output ${number}`)
      }
    }),
  )
})

void test('UTXO table: addresses of what is forgotten are forgotten', () => {
  const table = newUtxoTable('P', 0)
  const both = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]
  add(table, { ...numbered(1), addresses: both })
  add(table, { ...numbered(2), addresses: [] })
  assert.equal(table.others.size, 2)
  trimOutputs(table, table.came)
  assert.equal(table.others.size, 0)
})

// All of them fall into one bucket: it goes by the beginning of the id and by the index.
void test('UTXO table: of ids that were chosen to collide none is another', () => {
  const table = newUtxoTable('P', 1_000)
  const chosen = Array.from({ length: 500 }, (_, at) => {
    const output = numbered(at)
    output.txId.fill(0, 0, 4)
    return output
  })
  for (const output of chosen) add(table, output)
  for (const output of chosen) assert.deepEqual(kept(table, output), output)
  for (let number = 1_000; number < 1_900; number++) add(table, numbered(number))
  trimOutputs(table, table.came)
  for (const output of chosen) assert.equal(has(table, output), output.number >= 400)
})
