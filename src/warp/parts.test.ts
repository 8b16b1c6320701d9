import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import native from '@chainsafe/blst'
import fc from 'fast-check'

import { compareBytes, fromHex, to0x } from '../core/bytes.ts'
import { Fault, type FaultCode } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import { AddressBook, parseNodeAddress, parsePeer } from '../peer/address-book.ts'
import { addToBloom, bloomBytes, bloomHash, bloomSize, createBloom } from '../peer/bloom.ts'
import { decompress, FrameReader, frameOf, maxMessageSize } from '../peer/frame.ts'
import { Allowance } from '../peer/limits.ts'
import { silentLog } from '../telemetry/log.ts'
import { SignatureCache } from './aggregation/collect-task.ts'
import { Tally } from './aggregation/tally.ts'
import { Cache } from './cache.ts'
import { parseValidators } from './node.ts'
import { canonicalSet, compareKeys, equalSets, quorumWeight } from './validator-set.ts'
import { comparedValidators, type ValidatorSource } from './validator-source.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../vectors/warp/${name}`, import.meta.url), 'utf8')

const isFault =
  (code: FaultCode, pattern = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, pattern)
    return true
  }

/** A clock that moves only when it is set. */
function heldClock(): Clock & { at: number } {
  const clock = { at: 0, now: () => clock.at, monotonic: () => clock.at, sleep: async () => {} }
  return clock
}

type SetVector = {
  validatorSet: {
    input: Record<string, unknown>
    canonical: {
      totalWeight: string
      validators: { publicKey: string; weight: string; nodeIDs: string[] }[]
    }
  }
}
const { validatorSet }: SetVector = JSON.parse(read('canonical-set-and-messages.json'))

void test('validator set: merged, ordered and summed as in the vectors', () => {
  for (const answer of [validatorSet.input, { validators: validatorSet.input }]) {
    const set = canonicalSet(parseValidators(answer))
    const { totalWeight, validators } = validatorSet.canonical
    assert.equal(set.totalWeight, BigInt(totalWeight))
    assert.deepEqual(
      set.signers.map(({ publicKey, weight, nodeIds }) => [to0x(publicKey), weight, nodeIds]),
      validators.map((one) => [one.publicKey, BigInt(one.weight), one.nodeIDs.toSorted()]),
    )
  }
})

void test('validator set: compressed keys have the order of uncompressed ones', () => {
  const keys = Array.from({ length: 300 }, (_, at) =>
    native.SecretKey.fromKeygen(
      new Uint8Array(32).fill(at & 255, 0, 16).fill(at >> 8, 16),
    ).toPublicKey(),
  )
  const order = (one: (typeof keys)[number], other: (typeof keys)[number]): number =>
    compareBytes(one.toBytes(false), other.toBytes(false))
  const sorted = keys.map((key) => key.toBytes(true)).toSorted(compareKeys)
  assert.deepEqual(
    sorted.map(to0x),
    keys.toSorted(order).map((key) => to0x(key.toBytes(true))),
  )
  // A key and its negative share x; the flag alone distinguishes them.
  const key = keys[0]!.toBytes(true)
  const negative = Uint8Array.from(key, (byte, at) => (at === 0 ? byte ^ 0x20 : byte))
  const larger = (key[0]! & 0x20) !== 0
  assert.ok(larger ? compareKeys(negative, key) < 0 : compareKeys(key, negative) < 0)
})

void test('validator set: weights beyond 64 bits make it unusable', () => {
  const half = 1n << 63n
  const entry = { nodeId: 'NodeID-111111111111111111116DBWJs', publicKey: undefined }
  assert.equal(
    canonicalSet([
      { ...entry, weight: half },
      { ...entry, weight: half - 1n },
    ]).totalWeight,
    2n ** 64n - 1n,
  )
  const over = [
    { ...entry, weight: half },
    { ...entry, weight: half },
  ]
  assert.throws(() => canonicalSet(over), isFault('state-violation'))
})

void test('quorum: the least weight that is enough, for every weight and percent', () => {
  fc.assert(
    fc.property(
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.integer({ min: 1, max: 100 }),
      (total, percent) => {
        const least = quorumWeight(total, percent)
        assert.ok(total * BigInt(percent) <= least * 100n)
        assert.ok(least === 0n || total * BigInt(percent) > (least - 1n) * 100n)
      },
    ),
  )
})

const set = canonicalSet(parseValidators(validatorSet.input))

void test('tally: calls the heaviest up to 95 percent, then who has a hundredth, then everybody', () => {
  const weights = [500, 300, 150, 40, 8, 2]
  const entries = weights.map((weight, at) => ({
    nodeId: `node ${at}`,
    publicKey: Uint8Array.from({ length: 48 }, () => at),
    weight: BigInt(weight),
  }))
  const tally = new Tally(canonicalSet(entries), { quorum: 67, buffer: 0 }, () => false)
  const connected = (): boolean => true
  const first = tally.due(0, connected)
  assert.deepEqual(
    first.map(({ signer }) => Number(signer.weight)),
    [500, 300, 150, 40],
  )
  for (const progress of first) tally.move(progress, 'requested')
  assert.deepEqual(tally.due(0, connected), [])
  for (const progress of first) tally.move(progress, 'refused')
  assert.deepEqual(
    tally.due(0, connected).map(({ signer }) => Number(signer.weight)),
    [8, 2],
  )
  assert.deepEqual(
    tally.due(0, () => false),
    [],
  )
})

void test('tally: heaviest first until the target, all of them below it, ties by index', () => {
  const tally = new Tally(set, { quorum: 67, buffer: 0 }, () => false)
  const sign = (...indices: number[]): void => {
    for (const progress of tally.byWeight) {
      if (indices.includes(progress.index)) tally.move(progress, 'signed')
    }
  }
  sign(4, 1)
  assert.deepEqual(
    tally.chosen().map(({ index }) => index),
    [1, 4],
  )
  sign(0, 1, 2, 3)
  // 109 + 104 + 103 + 101 of 567.
  assert.deepEqual(
    tally.chosen().map(({ index }) => index),
    [0, 1, 2, 3],
  )
})

void test('tally: four tries with growing waits, then it counts as refused', () => {
  const tally = new Tally(set, { quorum: 67, buffer: 0 }, () => false)
  const [progress] = tally.byWeight
  const waits: number[] = []
  for (let attempt = 1; attempt <= 4; attempt++) {
    progress!.attempts = attempt
    tally.failed(progress!, 'no answer', 0)
    waits.push(progress!.retryAt)
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000])
  assert.equal(progress!.state, 'refused')
  assert.equal(tally.possible, 567n - 50n - progress!.signer.weight)
})

void test('tally: names ten and counts the rest', () => {
  const entries = Array.from({ length: 13 }, (_, at) => ({
    nodeId: `N${at}`,
    publicKey: Uint8Array.from({ length: 48 }, () => at),
    weight: 1n,
  }))
  const tally = new Tally(
    canonicalSet(entries),
    { quorum: 67, buffer: 0 },
    ({ weight }) => weight > 1n,
  )
  const fault = tally.shortfall('connect', () => 'not connected')
  assert.match(fault.message, /^failed to connect to a threshold of stake: .*67\*13 > 100\*0;/)
  assert.match(fault.message, /not connected: N0, .*N9 and 3 more$/)
})

void test('signature cache: keys that differ in a flag alone are two keys', () => {
  const cache = new SignatureCache()
  const kept = { signature: Uint8Array.of(1), proven: true }
  cache.put('m', `80${'00'.repeat(47)}`, kept)
  assert.equal(cache.get('m', `a0${'00'.repeat(47)}`), undefined)
  assert.equal(cache.get('m', `80${'00'.repeat(47)}`), kept)
  for (let at = 0; at < 10_001; at++) cache.put(`m${at}`, 'k', kept)
  assert.equal(cache.get('m', `80${'00'.repeat(47)}`), undefined)
  assert.equal(cache.get('m10000', 'k'), kept)
  cache.drop('m10000', 'k')
  assert.equal(cache.get('m10000', 'k'), undefined)
})

void test('cache: one question for all who wait, kept as long as it may be', async () => {
  const clock = heldClock()
  const cache = new Cache<number>(clock, { maxEntries: 2, keepMs: 10 })
  let reads = 0
  const read = async (): Promise<number> => ++reads
  assert.deepEqual(await Promise.all([cache.get('a', read), cache.get('a', read)]), [1, 1])
  clock.at = 9
  assert.equal(await cache.get('a', read), 1)
  clock.at = 10
  assert.equal(await cache.get('a', read), 2)
  await cache.get('b', read)
  assert.equal(cache.peek('a'), 2)
  await cache.get('c', read)
  assert.equal(cache.peek('b'), undefined)
  // Who waits for another's question reads for itself when that one fails.
  const failing = cache.get('d', async () => Promise.reject(new Error('gone')))
  const waiting = cache.get('d', read)
  await assert.rejects(failing, /gone/)
  assert.equal(await waiting, 5)
})

type BloomVector = {
  seeds: string[]
  salt: string
  keysAdded: string[]
  hashes: string[]
  filter: string
  probes: { key: string; contained: boolean }[]
  optimal: { count: number; bytes: number; hashes: number }[]
}

void test('bloom filter: hashes, bytes and sizes of the vectors', () => {
  const vector: BloomVector = JSON.parse(read('bloom.json'))
  const filter = fromHex(vector.filter)
  const size = filter.length - 1 - 8 * vector.seeds.length
  const bloom = {
    seeds: vector.seeds.map(BigInt),
    entries: new Uint8Array(size),
    salt: fromHex(vector.salt),
  }
  for (const [at, key] of vector.keysAdded.entries()) {
    assert.equal(String(bloomHash(fromHex(key), bloom.salt)), vector.hashes[at])
    addToBloom(bloom, fromHex(key))
  }
  assert.equal(to0x(bloomBytes(bloom)), vector.filter)
  for (const { key, contained } of vector.probes) {
    const entries = Uint8Array.from(bloom.entries)
    addToBloom({ ...bloom, entries }, fromHex(key))
    assert.equal(to0x(entries) === to0x(bloom.entries), contained)
  }
  for (const { count, bytes, hashes } of vector.optimal) {
    assert.deepEqual(bloomSize(count), { bytes, hashes })
  }
  const random = { bytes: (length: number) => new Uint8Array(length).fill(3), number: () => 0 }
  assert.equal(createBloom(random, 0).entries.length, 230)
})

void test('frames: come out whole, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      (sent, cuts) => {
        const stream = Buffer.concat(sent.map(frameOf))
        const reader = new FrameReader()
        const received: Uint8Array[] = []
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = cuts[turn % cuts.length]!
          received.push(...reader.push(stream.subarray(at, at + size)))
          at += size
        }
        assert.deepEqual(received.map(to0x), sent.map(to0x))
        assert.equal(reader.partial, false)
      },
    ),
  )
})

void test('frames: the longest passes, one byte more does not, and neither does a bomb', () => {
  const head = (length: number): Uint8Array => frameOf(new Uint8Array(length)).subarray(0, 4)
  assert.deepEqual(new FrameReader().push(head(maxMessageSize)), [])
  const long = (): unknown => new FrameReader().push(head(maxMessageSize + 1))
  assert.throws(long, isFault('peer-misbehaved', /2097153/))
  assert.equal(decompress(zstdCompressSync(new Uint8Array(maxMessageSize))).length, maxMessageSize)
  const bomb = zstdCompressSync(new Uint8Array(maxMessageSize + 1))
  assert.throws(() => decompress(bomb), isFault('peer-misbehaved'))
  assert.throws(() => decompress(Uint8Array.of(1, 2, 3)), isFault('peer-misbehaved'))
})

void test('allowance: refills with time, up to its burst', () => {
  const allowance = new Allowance(10, 20, 0)
  assert.equal(allowance.take(20, 0), true)
  assert.equal(allowance.take(1, 0), false)
  assert.equal(allowance.take(1, 100), true)
  assert.equal(allowance.take(21, 100_000), false)
  assert.equal(allowance.take(20, 100_000), true)
})

void test('addresses: as operators and nodes write them', () => {
  const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
  assert.equal(parsePeer(`${nodeId}@1.2.3.4:9651`).port, 9651)
  assert.equal(to0x(parseNodeAddress(nodeId, '[::1]:1').ip), `0x${'00'.repeat(15)}01`)
  for (const text of ['1.2.3.4', '1.2.3.4:0', '1.2.3.4:65536', ':1', '[::1', 'a:1']) {
    assert.throws(() => parseNodeAddress(nodeId, text), isFault('bad-text'), text)
  }
  assert.throws(() => parsePeer('1.2.3.4:9651'), isFault('bad-text'))
})

void test('address book: newest word wins, the operator’s is never replaced, private ones may be barred', () => {
  const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
  const at = (port: number, ip = '1.2.3.4') => parseNodeAddress(nodeId, `${ip}:${port}`)
  const book = new AddressBook(false)
  assert.equal(book.listed(at(1), 10n), true)
  assert.equal(book.listed(at(1), 11n), false)
  assert.equal(book.listed(at(2), 9n), false)
  assert.equal(book.listed(at(2), 12n), true)
  assert.equal(book.listed(at(3, '10.0.0.1'), 13n), false)
  book.configure(at(4, '10.0.0.1'))
  assert.equal(book.listed(at(5), 14n), false)
  assert.equal(book.get(nodeId)?.port, 4)
  assert.equal(book.trusted().length, 1)
})

void test('validators: the node’s set and our own are compared, and ours stands in', async () => {
  const entries = parseValidators(validatorSet.input)
  const errors: string[] = []
  const log = { ...silentLog, error: (event: string) => void errors.push(event) }
  let away = false
  const never = new AbortController().signal
  const unused = async (): Promise<never> => Promise.reject(new Error('not reads'))
  const source: ValidatorSource = {
    proposedHeight: unused,
    epochHeight: unused,
    subnetOf: unused,
    subnet: unused,
    underfunded: unused,
    validatorsAt: async () => {
      if (away) throw new Fault('node-unreachable', 'away')
      return set
    },
  }
  const read = (own: typeof entries | undefined) =>
    comparedValidators(source, async () => own, log).validatorsAt(new Uint8Array(32), 1, never)
  assert.equal(await read(undefined), set)
  assert.equal(await read(entries), set)
  assert.deepEqual(errors, [])
  assert.equal(await read(entries.slice(1)), set)
  assert.deepEqual(errors, ['validator-sets-differ'])
  away = true
  assert.ok(equalSets(await read(entries), set))
  await assert.rejects(read(undefined), isFault('node-unreachable'))
})
