import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import fc from 'fast-check'

import { fromHex, to0x, toHex } from '../../core/bytes.ts'
import { parseNodeId, toCb58 } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { decode, encode } from '../cursor.ts'
import { decodeJustification, encodeJustification, justifiedValidationId } from './justification.ts'
import {
  conversionData,
  conversionId,
  convertedValidationId,
  l1Message,
  l1MessageTypes,
  registeredValidationId,
} from './l1-message.ts'
import {
  decodeBitSet,
  decodeSigned,
  encodeBitSet,
  encodeSigned,
  messageId,
  unsignedMessage,
  unwrapMessage,
} from './message.ts'
import { payloadTypes, warpPayload } from './payload.ts'

type Vectors = {
  'bitset.json': { cases: { indices: number[]; bytes: string }[]; invalid: string[] }
  'canonical-set-and-messages.json': {
    messages: {
      unsignedMessage: string
      messageId: string
      messageIdCb58: string
      signers: number[]
      signersBytes: string
      aggregateSignature: string
      signedMessage: string
    }[]
  }
  'l1-payloads.json': {
    cases: { name: string; bytes: string; sha256: string; fields: Record<string, unknown> }[]
  }
  'justifications.json': {
    convert: { subnetId: string; index: number; validationId: string; justification: string }[]
    register: { registerL1ValidatorPayload: string; validationId: string; justification: string }
    conversion: { conversionData: string; conversionId: string; payload: string }
  }
  'example-request.json': { requestMessage: string; unsignedMessage: string }
  'warpset-json.json': { warpSet: { validators: { nodeIDs: string[] }[] }; nodeIdBytes: string[] }
}

function vector<Name extends keyof Vectors>(name: Name): Vectors[Name] {
  const path = new URL(`../../../vectors/warp/${name}`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8'))
}

const bad = (error: unknown): boolean => error instanceof Fault && error.code === 'bad-bytes'

void test('bit set: bytes of the vectors, both ways', () => {
  const { cases, invalid } = vector('bitset.json')
  for (const { indices, bytes } of cases) {
    assert.equal(to0x(encodeBitSet(indices)), bytes)
    assert.deepEqual(decodeBitSet(fromHex(bytes)), indices)
  }
  for (const bytes of invalid) assert.throws(() => decodeBitSet(fromHex(bytes)), bad, bytes)
})

void test('bit set: is the big-endian number with those bits', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(2_000), { minLength: 1, maxLength: 60 }), (indices) => {
      const number = indices.reduce((sum, index) => sum | (1n << BigInt(index)), 0n)
      const hex = number.toString(16)
      assert.equal(toHex(encodeBitSet(indices)), hex.length % 2 === 0 ? hex : `0${hex}`)
      assert.deepEqual(
        decodeBitSet(encodeBitSet(indices)),
        indices.toSorted((a, b) => a - b),
      )
    }),
  )
})

void test('unsigned message: ids, and signed bytes built from the parts', () => {
  for (const message of vector('canonical-set-and-messages.json').messages) {
    const unsigned = fromHex(message.unsignedMessage)
    assert.equal(to0x(messageId(unsigned)), message.messageId)
    assert.equal(toCb58(messageId(unsigned)), message.messageIdCb58)
    const decoded = decode(unsignedMessage, unsigned)
    assert.equal(to0x(encode(unsignedMessage, decoded)), message.unsignedMessage)
    decode(warpPayload, decoded.payload)
    const signed = decodeSigned(fromHex(message.signedMessage))
    assert.equal(to0x(signed.unsigned), message.unsignedMessage)
    assert.equal(to0x(signed.signature.signature), message.aggregateSignature)
    assert.equal(to0x(signed.signature.signers), message.signersBytes)
    assert.deepEqual(decodeBitSet(signed.signature.signers), message.signers)
    assert.equal(to0x(encodeSigned(unsigned, signed.signature)), message.signedMessage)
  }
})

void test('signed message: every truncation and an extra byte are faults', () => {
  const good = fromHex(vector('canonical-set-and-messages.json').messages[0]!.signedMessage)
  for (let size = 0; size < good.length; size++) {
    assert.throws(() => decodeSigned(good.subarray(0, size)), bad, `size ${size}`)
  }
  assert.throws(() => decodeSigned(Uint8Array.from([...good, 0])), bad)
})

void test('unsigned message: another codec version and bytes left over are faults', () => {
  const good = fromHex(vector('canonical-set-and-messages.json').messages[0]!.unsignedMessage)
  assert.throws(() => decode(unsignedMessage, Uint8Array.from([0, 1, ...good.subarray(2)])), bad)
  assert.throws(() => decode(unsignedMessage, Uint8Array.from([...good, 0])), bad)
})

void test('L1 messages: fields and bytes of upstream tests', () => {
  const ids: Record<string, number> = {
    SubnetToL1Conversion: l1MessageTypes.subnetToL1Conversion,
    RegisterL1Validator: l1MessageTypes.registerL1Validator,
    L1ValidatorRegistration: l1MessageTypes.l1ValidatorRegistration,
    L1ValidatorWeight: l1MessageTypes.l1ValidatorWeight,
  }
  for (const { name, bytes, sha256: hash, fields } of vector('l1-payloads.json').cases) {
    const decoded = decode(l1Message, fromHex(bytes))
    assert.equal(decoded.typeId, ids[name], name)
    assert.equal(to0x(encode(l1Message, decoded)), bytes, name)
    assert.equal(to0x(sha256(fromHex(bytes))), hash, name)
    const shown = JSON.parse(
      JSON.stringify(decoded, (_, value: unknown) =>
        value instanceof Uint8Array
          ? to0x(value)
          : typeof value === 'bigint'
            ? String(value)
            : value,
      ),
    )
    const { id, ...rest } = fields
    const expected = id === undefined ? rest : { conversionId: id, ...rest }
    assert.deepEqual(shown, { typeId: ids[name], ...expected }, name)
    for (let size = 0; size < fromHex(bytes).length; size++) {
      assert.throws(() => decode(l1Message, fromHex(bytes).subarray(0, size)), bad, name)
    }
  }
})

void test('L1 registration: a truth value other than 0 and 1 is a fault', () => {
  const { bytes } = vector('l1-payloads.json').cases[2]!
  assert.throws(() => decode(l1Message, fromHex(`${bytes.slice(0, -2)}02`)), bad)
})

void test('justification: both forms, their validation ids, index 0 left out', () => {
  const { convert, register, conversion } = vector('justifications.json')
  for (const { subnetId, index, validationId, justification } of convert) {
    const value = { kind: 'conversion', subnetId: fromHex(subnetId), index } as const
    assert.equal(to0x(encodeJustification(value)), justification)
    assert.deepEqual(decodeJustification(fromHex(justification)), value)
    assert.equal(to0x(justifiedValidationId(value)), validationId)
    assert.equal(to0x(convertedValidationId(fromHex(subnetId), index)), validationId)
  }
  const payload = fromHex(register.registerL1ValidatorPayload)
  const value = { kind: 'registration', registerL1Validator: payload } as const
  assert.equal(to0x(encodeJustification(value)), register.justification)
  const decoded = decodeJustification(fromHex(register.justification))
  assert.equal(decoded.kind, 'registration')
  assert.equal(to0x(justifiedValidationId(decoded)), register.validationId)
  assert.equal(to0x(registeredValidationId(payload)), register.validationId)

  const data = decode(conversionData, fromHex(conversion.conversionData))
  assert.equal(to0x(encode(conversionData, data)), conversion.conversionData)
  assert.equal(to0x(conversionId(data)), conversion.conversionId)
  const said = decode(l1Message, fromHex(conversion.payload))
  assert.equal(said.typeId, l1MessageTypes.subnetToL1Conversion)
})

void test('justification: empty, unknown and malformed ones are faults', () => {
  // Nothing; an unknown field only; a subnet id of 31 bytes; a length past the end.
  for (const hex of ['', '1801', `0a210a1f${'01'.repeat(31)}`, '0a05', '0a', '00', '0b']) {
    assert.throws(() => decodeJustification(fromHex(hex)), bad, hex)
  }
  // Unknown fields of every wire type are passed over.
  const place = `0a22` + `0a20${'01'.repeat(32)}`
  const unknown = `1801` + `1900000000000000ff` + `22020000` + `2d00000000`
  assert.equal(decodeJustification(fromHex(unknown + place)).kind, 'conversion')
})

void test('request message: the log form of the official example unwraps, a bare one stays', () => {
  const example = vector('example-request.json')
  const inner = unwrapMessage(fromHex(example.requestMessage))
  assert.equal(to0x(inner), example.unsignedMessage)
  assert.equal(unwrapMessage(inner), inner)
  assert.equal(toCb58(messageId(inner)), '2UeKL6EcwDYJZvWz3CzMhmNcyFD4PUZbinvRageg5qWVUcF5jz')
  const decoded = decode(unsignedMessage, inner)
  assert.equal(decoded.networkId, 5)
  assert.equal(decode(warpPayload, decoded.payload).typeId, payloadTypes.addressedCall)
  // A length that does not fit is not the log form, whatever it looks like.
  const wrapped = fromHex(example.requestMessage)
  assert.equal(unwrapMessage(wrapped.subarray(0, 70)).length, 70)
  assert.equal(unwrapMessage(wrapped.subarray(0, 63)).length, 63)
})

void test('node id text: matches the bytes of the upstream set', () => {
  const { warpSet, nodeIdBytes } = vector('warpset-json.json')
  assert.deepEqual(
    warpSet.validators[0]?.nodeIDs.map((text) => to0x(parseNodeId(text))),
    nodeIdBytes,
  )
})
