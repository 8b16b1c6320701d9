import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { outputKeyOf } from '../../codec/primary/ids.ts'
import { sha256 } from '../../core/hash.ts'
import type { KnownUtxo } from './ledger-rows.ts'
import { dropUtxo, isKept, keepUtxo, keptUtxo, newUtxoTable } from './utxo-table.ts'
import type { UtxoTable } from './utxo-table.ts'

const maxU64 = 2n ** 64n - 1n

const bytesOf = (size: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: size, maxLength: size })
const u64 = fc.bigInt({ min: 0n, max: maxU64 })
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const time = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const noBytes = new Uint8Array(0)
const plain = { noNullPrototype: true } as const

/** Outputs as the store gives them: of one address, made on the P-Chain for it, unspent. */
const plainUtxo: fc.Arbitrary<KnownUtxo> = fc.record(
  {
    number: fc.integer({ min: 1, max: 2 ** 36 }),
    txId: bytesOf(32),
    outputIndex: u32,
    assetId: bytesOf(32),
    outputType: fc.constantFrom(6, 7, 10, 11, 15, 16),
    amount: u64,
    owner: fc.record({ locktime: u64, threshold: u32, addresses: fc.tuple(bytesOf(20)) }, plain),
    stakeableLocktime: u64,
    createdOn: fc.constant('P' as const),
    consumableOn: fc.constant('P' as const),
    createdTime: time,
    staked: fc.boolean(),
    returned: fc.option(
      time.map((at) => ({ height: 0, time: at, rewardTxId: noBytes })),
      { nil: undefined },
    ),
    consumed: fc.constant(undefined),
  },
  plain,
)

const example: KnownUtxo = {
  number: 1,
  txId: new Uint8Array(32).fill(1),
  outputIndex: 0,
  assetId: new Uint8Array(32).fill(2),
  outputType: 7,
  amount: 5n,
  owner: { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20).fill(3)] },
  stakeableLocktime: 0n,
  createdOn: 'P',
  consumableOn: 'P',
  createdTime: 70,
  staked: false,
  returned: undefined,
  consumed: undefined,
}

function keyIn(utxo: KnownUtxo): string {
  return outputKeyOf(utxo.txId, utxo.outputIndex)
}

function keep(table: UtxoTable, utxo: KnownUtxo): void {
  keepUtxo(table, keyIn(utxo), utxo)
}

/** The `number`-th of outputs with hashes for ids. */
function numbered(number: number): KnownUtxo {
  return { ...example, number, txId: sha256(Uint8Array.of(number & 255, number >> 8)) }
}

void test('UTXO table: what is kept comes back as it was', () => {
  fc.assert(
    fc.property(fc.array(plainUtxo, { minLength: 1, maxLength: 20 }), (utxos) => {
      const table = newUtxoTable('P', 20)
      const known = new Map(utxos.map((utxo) => [keyIn(utxo), utxo]))
      for (const [key, utxo] of known) keepUtxo(table, key, utxo)
      for (const [key, utxo] of known) assert.deepEqual(keptUtxo(table, key), utxo)
    }),
  )
})

void test('UTXO table: what comes back is not changed by what is kept later', () => {
  const table = newUtxoTable('P', 1)
  keep(table, example)
  const found = keptUtxo(table, keyIn(example))
  const other = { ...numbered(2), assetId: new Uint8Array(32).fill(9), staked: true, amount: 1n }
  keep(table, { ...other, owner: { ...other.owner, addresses: [new Uint8Array(20).fill(8)] } })
  assert.deepEqual(found, example)
  assert.equal(keptUtxo(table, keyIn(example)), undefined)
  const { txId, owner } = example
  assert.notEqual(found?.txId.buffer, txId.buffer)
  assert.notEqual(found?.owner.addresses[0]?.buffer, owner.addresses[0]?.buffer)
})

void test('UTXO table: equal assets are one array, others are not', () => {
  const table = newUtxoTable('P', 3)
  const another = new Uint8Array(32).fill(9)
  keep(table, numbered(1))
  keep(table, { ...numbered(2), assetId: another })
  keep(table, { ...numbered(3), assetId: example.assetId.slice() })
  const [first, second, third] = [1, 2, 3].map((at) => keptUtxo(table, keyIn(numbered(at))))
  assert.deepEqual(first?.assetId, example.assetId)
  assert.equal(first?.assetId, third?.assetId)
  assert.deepEqual(second?.assetId, another)
})

void test('UTXO table: the oldest goes first', () => {
  const table = newUtxoTable('P', 100)
  for (let number = 1; number <= 250; number++) keep(table, numbered(number))
  for (let number = 1; number <= 250; number++)
    assert.equal(isKept(table, keyIn(numbered(number))), number > 150, `output ${number}`)
  assert.equal(table.size, 100)
})

void test('UTXO table: room that was left is taken before the oldest goes', () => {
  const table = newUtxoTable('P', 10)
  for (let number = 1; number <= 10; number++) keep(table, numbered(number))
  for (const number of [1, 5, 10]) dropUtxo(table, keyIn(numbered(number)))
  for (let number = 11; number <= 14; number++) keep(table, numbered(number))
  const kept = Array.from({ length: 14 }, (_, at) => at + 1).filter((number) =>
    isKept(table, keyIn(numbered(number))),
  )
  assert.deepEqual(kept, [3, 4, 6, 7, 8, 9, 11, 12, 13, 14])
})

void test('UTXO table: it knows what a map in order of arrival would know', () => {
  const step = fc.record({ number: fc.integer({ min: 1, max: 40 }), drops: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 12 }), fc.array(step), (limit, steps) => {
      const table = newUtxoTable('P', limit)
      const model = new Map<number, KnownUtxo>()
      for (const { number, drops } of steps) {
        const utxo = numbered(number)
        if (drops) {
          model.delete(number)
          dropUtxo(table, keyIn(utxo))
        } else if (!model.has(number)) {
          model.set(number, utxo)
          keep(table, utxo)
        }
        for (const oldest of model.keys()) if (model.size > limit) model.delete(oldest)
      }
      assert.equal(table.size, model.size)
      for (let number = 1; number <= 40; number++)
        assert.deepEqual(keptUtxo(table, keyIn(numbered(number))), model.get(number))
    }),
  )
})

void test('UTXO table: outputs of other than one address and spent ones are left to the store', () => {
  const table = newUtxoTable('P', 10)
  const { txId, owner } = example
  const consumed = { chain: 'P', height: 3, position: 0, time: 30, txId } as const
  const address = new Uint8Array(20)
  const left: KnownUtxo[] = [
    { ...numbered(1), consumed },
    { ...numbered(2), owner: { ...owner, addresses: [] } },
    { ...numbered(3), owner: { ...owner, addresses: [address, address] } },
  ]
  for (const utxo of left) {
    keep(table, utxo)
    assert.ok(!isKept(table, keyIn(utxo)), `output ${utxo.number}`)
  }
  assert.equal(table.size, 0)
})

// All of them fall into one bucket: it goes by the beginning of the id and by the index.
void test('UTXO table: keys that were chosen to collide are few, and none is another', () => {
  const table = newUtxoTable('P', 1_000)
  const chosen = Array.from({ length: 500 }, (_, at) => {
    const utxo = numbered(at)
    utxo.txId.fill(0, 0, 4)
    return utxo
  })
  for (const utxo of chosen) keep(table, utxo)
  for (let number = 1_000; number < 1_500; number++) keep(table, numbered(number))
  const kept = chosen.filter((utxo) => isKept(table, keyIn(utxo)))
  assert.equal(kept.length, 16)
  for (const utxo of kept) assert.deepEqual(keptUtxo(table, keyIn(utxo)), utxo)
  for (const utxo of [...kept].toSorted((a, b) => (a.number % 7) - (b.number % 7))) {
    dropUtxo(table, keyIn(utxo))
    assert.ok(!isKept(table, keyIn(utxo)))
  }
  for (let number = 1_000; number < 1_500; number++)
    assert.equal(keptUtxo(table, keyIn(numbered(number)))?.number, number)
})
