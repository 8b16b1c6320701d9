import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { encode } from '../../codec/cursor.ts'
import { l1Message, l1MessageTypes } from '../../codec/warp/l1-message.ts'
import { unsignedMessage } from '../../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../codec/warp/payload.ts'
import { fromHex, to0x, toHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { parseRequest, type RequestBody } from './request.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../../vectors/warp/${name}`, import.meta.url), 'utf8')
const { messages }: { messages: { name: string; unsignedMessage: string }[] } = JSON.parse(
  read('canonical-set-and-messages.json'),
)
const { cases }: { cases: { name: string; bytes: string }[] } = JSON.parse(read('l1-payloads.json'))
const example: { requestMessage: string; unsignedMessage: string; sourceChainId: string } =
  JSON.parse(read('example-request.json'))
const message = messages.find(({ name }) => name === 'l1ValidatorRegistration')!.unsignedMessage

const refuses = (body: RequestBody, pattern: RegExp, networkId = 12_345): void => {
  assert.throws(
    () => parseRequest(body, networkId),
    (error) =>
      error instanceof Fault && error.code === 'bad-parameter' && pattern.test(error.message),
    JSON.stringify(body).slice(0, 200),
  )
}

/** A message of the P-Chain with any payload. */
function fromPChain(payload: Uint8Array): string {
  const sourceChainId = new Uint8Array(32)
  return toHex(encode(unsignedMessage, { networkId: 12_345, sourceChainId, payload }))
}

function called(sourceAddress: Uint8Array, payload: Uint8Array): Uint8Array {
  return encode(warpPayload, { typeId: payloadTypes.addressedCall, sourceAddress, payload })
}

void test('request: the data of a log and the bare message are one request', () => {
  const bare = parseRequest({ message: example.unsignedMessage }, 5)
  const log = parseRequest({ message: example.requestMessage }, 5)
  assert.deepEqual(log, bare)
  assert.equal(to0x(bare.unsigned!), example.unsignedMessage)
  assert.deepEqual(parseRequest({ message: `0x${example.requestMessage}` }, 5), bare)
})

void test('request: what is not said has the defaults of document A', () => {
  const { quorum, buffer, height, signingSubnetId, justification } = parseRequest(
    { message },
    12_345,
  )
  assert.deepEqual([quorum, buffer, height, signingSubnetId], [67, 0, undefined, undefined])
  assert.equal(justification.length, 0)
  const zeros = { quorumPercentage: 0, quorumPercentageBuffer: 0, pChainHeight: 0 }
  const blank = { ...zeros, signingSubnetId: '', justification: '0x' }
  assert.deepEqual(parseRequest({ message, ...blank }, 12_345), parseRequest({ message }, 12_345))
})

void test('request: percents from 0 to 100, together no more', () => {
  const goals = (quorumPercentage: number, quorumPercentageBuffer: number): number[] => {
    const body = { message, quorumPercentage, quorumPercentageBuffer }
    const { quorum, buffer } = parseRequest(body, 12_345)
    return [quorum, buffer]
  }
  assert.deepEqual(goals(100, 0), [100, 0])
  assert.deepEqual(goals(1, 99), [1, 99])
  assert.deepEqual(goals(0, 33), [67, 33])
  refuses({ message, quorumPercentageBuffer: 34 }, /exceed 100 together: 101$/)
  refuses({ message, quorumPercentage: 100, quorumPercentageBuffer: 1 }, /together: 101$/)
  for (const value of [-1, 101, 66.5, Number.NaN]) {
    refuses({ message, quorumPercentage: value }, /^quorumPercentage must be an integer/)
    refuses({ message, quorumPercentageBuffer: value }, /^quorumPercentageBuffer must be/)
  }
})

void test('request: heights are whole numbers that a number can hold', () => {
  const heightOf = (pChainHeight: number): number | undefined =>
    parseRequest({ message, pChainHeight }, 12_345).height
  assert.deepEqual([heightOf(1), heightOf(Number.MAX_SAFE_INTEGER)], [1, 2 ** 53 - 1])
  for (const value of [-1, 1.5, 2 ** 53, Number.NaN]) {
    refuses({ message, pChainHeight: value }, /^pChainHeight must be an integer/)
  }
})

void test('request: a subnet in hex, with 0x or not, and in cb58', () => {
  const hex = '9f3be606497285d0ffbb5ac9ba24aa60346a9b1812479ed66cb329f394a4b1c7'
  for (const signingSubnetId of [hex, `0x${hex}`, hex.toUpperCase(), example.sourceChainId]) {
    const found = parseRequest({ message, signingSubnetId }, 12_345).signingSubnetId
    assert.equal(toHex(found!), hex, signingSubnetId)
  }
  // The primary network is a subnet like others, not the lack of one.
  const primary = parseRequest({ message, signingSubnetId: '00'.repeat(32) }, 12_345)
  assert.deepEqual(primary.signingSubnetId, new Uint8Array(32))
  const wrong = [hex.slice(1), `${hex}00`, `${example.sourceChainId}x`, 'fuji', '0x']
  for (const signingSubnetId of wrong) refuses({ message, signingSubnetId }, /^signingSubnetId is/)
})

void test('request: limits of message and justification', () => {
  const kib = 1024 * 2
  refuses({ message: '1'.repeat(64 * kib + 2) }, /^message is longer than 65536 bytes$/)
  refuses({ message: `0x${'1'.repeat(64 * kib)}` }, /^message is not an unsigned warp message/)
  const justification = '1'.repeat(24 * kib)
  assert.equal(parseRequest({ message, justification }, 12_345).justification.length, 24 * 1024)
  refuses({ message, justification: `${justification}11` }, /longer than 24576 bytes$/)
})

void test('request: a message cut or lengthened anywhere is none', () => {
  for (let size = 2; size < message.length; size += 2) {
    const cut = message.slice(0, size)
    const blank = /^(0x)?0*$/.test(cut)
    refuses({ message: cut }, blank ? /either message or/ : /not an unsigned warp message/)
  }
  refuses({ message: `${message}00` }, /not an unsigned warp message/)
})

void test('request: what no validator of the P-Chain would ever sign is refused at once', () => {
  const hash = encode(warpPayload, { typeId: payloadTypes.hash, hash: new Uint8Array(32) })
  const [registration] = cases.filter(({ name }) => name === 'RegisterL1Validator')
  const inner = fromHex(registration!.bytes)
  const weight = (nonce: bigint): Uint8Array => {
    const said = { typeId: l1MessageTypes.l1ValidatorWeight, nonce, weight: 1n } as const
    return encode(l1Message, { ...said, validationId: new Uint8Array(32) })
  }
  const none = new Uint8Array()
  const last = (1n << 64n) - 1n
  const wrong: [Uint8Array, RegExp][] = [
    [hash, /only calls without a source address/],
    [called(new Uint8Array(20), weight(1n)), /only calls without a source address/],
    [called(none, Uint8Array.of(1, 2, 3)), /only messages about L1 validators/],
    [Uint8Array.of(9, 9), /only messages about L1 validators/],
    [called(none, inner), /does not sign a request to register/],
    [called(none, weight(last)), /never signs a weight with this nonce: 18446744073709551615$/],
  ]
  for (const [payload, pattern] of wrong) refuses({ message: fromPChain(payload) }, pattern)
  assert.ok(parseRequest({ message: fromPChain(called(none, weight(last - 1n))) }, 12_345))
  // An L1's own request to register a validator is what it is for.
  const sourceChainId = new Uint8Array(32).fill(7)
  const payload = called(new Uint8Array(20), inner)
  const ofL1 = encode(unsignedMessage, { networkId: 12_345, sourceChainId, payload })
  assert.ok(parseRequest({ message: toHex(ofL1) }, 12_345))
})

void test('request: of another network only where we know of which we are', () => {
  refuses({ message }, /of another network than 1: 12345$/, 1)
  assert.ok(parseRequest({ message }, undefined).unsigned)
})
