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
  newOutputRing,
  numberAt,
  traitsAt,
  trimOutputs,
  type OutputRing,
} from './output-ring.ts'

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

function add(ring: OutputRing, output: Output): number {
  return addOutput(ring, output, output.addresses)
}

function has(ring: OutputRing, { txId, outputIndex }: Output): boolean {
  return findOutput(ring, txId, outputIndex) !== -1
}

/** The ring's fields of an output that it has. */
function kept(ring: OutputRing, { txId, outputIndex }: Output): Output {
  const entry = findOutput(ring, txId, outputIndex)
  assert.notEqual(entry, -1)
  const number = numberAt(ring, entry)
  const at = addressAt(ring, entry)
  return {
    txId,
    outputIndex,
    number,
    createdAt: createdAtAt(ring, entry),
    amount: amountAt(ring, entry),
    traits: traitsAt(ring, entry),
    addresses: at === -1 ? (ring.others.get(number) ?? []) : [ring.bytes.slice(at, at + 20)],
    flags: flagsAt(ring, entry),
  }
}

void test('output ring: what is kept comes back as it was', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyOutput, {
        minLength: 1,
        maxLength: 20,
        selector: ({ number }) => number,
      }),
      (outputs) => {
        const ring = newOutputRing('P', 20)
        const known = new Map(outputs.map((one) => [outputKeyOf(one.txId, one.outputIndex), one]))
        for (const output of known.values()) add(ring, output)
        for (const output of known.values()) assert.deepEqual(kept(ring, output), output)
      },
    ),
  )
})

void test('output ring: within a batch nothing is forgotten, and then the oldest', () => {
  const ring = newOutputRing('P', 100)
  for (let number = 1; number <= 5_000; number++) add(ring, numbered(number))
  for (let number = 1; number <= 5_000; number++)
    assert.deepEqual(kept(ring, numbered(number)), numbered(number))
  trimOutputs(ring, ring.came)
  for (let number = 1; number <= 5_000; number++)
    assert.equal(has(ring, numbered(number)), number > 4_900, `output ${number}`)
})

void test('output ring: a name is kept once', () => {
  const ring = newOutputRing('P', 10)
  const entry = add(ring, numbered(1))
  assert.equal(add(ring, { ...numbered(2), txId: numbered(1).txId }), -1)
  assert.notEqual(add(ring, { ...numbered(3), txId: numbered(1).txId, outputIndex: 1 }), -1)
  assert.equal(findOutput(ring, numbered(1).txId, 0), entry)
})

void test('output ring: a flag is added to what is there', () => {
  const ring = newOutputRing('P', 10)
  const output = { ...numbered(1), flags: outputFlags.staked }
  flagOutput(ring, add(ring, output), outputFlags.returned)
  assert.equal(kept(ring, output).flags, outputFlags.staked | outputFlags.returned)
})

void test('output ring: it knows what a map in order of arrival would know', () => {
  const step = fc.record({
    number: fc.integer({ min: 1, max: 40 }),
    trims: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 12 }), fc.array(step), (limit, steps) => {
      const ring = newOutputRing('P', limit)
      // Every one that came, and whether it is still in.
      const model: { readonly number: number; isIn: boolean }[] = []
      for (const { number, trims } of steps) {
        if (trims) {
          trimOutputs(ring, ring.came)
          for (const one of model.slice(0, Math.max(0, model.length - limit))) one.isIn = false
        } else if (add(ring, numbered(number)) !== -1) {
          assert.ok(!model.some((one) => one.number === number && one.isIn))
          model.push({ number, isIn: true })
        }
      }
      for (let number = 1; number <= 40; number++) {
        const isIn = model.some((one) => one.number === number && one.isIn)
        assert.equal(has(ring, numbered(number)), isIn, `output ${number}`)
      }
    }),
  )
})

void test('output ring: addresses of what is forgotten are forgotten', () => {
  const ring = newOutputRing('P', 0)
  const both = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]
  add(ring, { ...numbered(1), addresses: both })
  add(ring, { ...numbered(2), addresses: [] })
  assert.equal(ring.others.size, 2)
  trimOutputs(ring, ring.came)
  assert.equal(ring.others.size, 0)
})

// All of them fall into one bucket: it goes by the beginning of the id and by the index.
void test('output ring: of ids that were chosen to collide none is another', () => {
  const ring = newOutputRing('P', 1_000)
  const chosen = Array.from({ length: 500 }, (_, at) => {
    const output = numbered(at)
    output.txId.fill(0, 0, 4)
    return output
  })
  for (const output of chosen) add(ring, output)
  for (const output of chosen) assert.deepEqual(kept(ring, output), output)
  for (let number = 1_000; number < 1_900; number++) add(ring, numbered(number))
  trimOutputs(ring, ring.came)
  for (const output of chosen) assert.equal(has(ring, output), output.number >= 400)
})
