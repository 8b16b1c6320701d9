import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import fc from 'fast-check'

import { fromHex, to0x, toHex } from '../../core/bytes.ts'
import { parseNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import {
  gossipId,
  ipText,
  isPrivateIp,
  parseIp,
  signedAddressBytes,
  toIp16,
} from './peer-address.ts'
import { decodePeerMessage, encodePeerMessage, type PeerMessage } from './peer-message.ts'
import { ProtobufReader, ProtobufWriter } from './protobuf.ts'
import {
  decodeSignatureRequest,
  decodeSignatureResponse,
  encodeSignatureRequest,
  encodeSignatureResponse,
} from './signature-request.ts'

type Frames = {
  ping: { frame: string }
  pong: { frame: string }
  ping100: { frame: string }
  emptyPeerList: { frame: string }
  appRequest: {
    chainId: string
    requestId: number
    deadlineNs: string
    appBytes: string
    message: string
  }
  ipBytes: { ip: string; port: number; timestamp: number; bytes: string }
  gossipId: { nodeId: string; timestamp: number; gossipId: string }
}
const frames: Frames = JSON.parse(
  readFileSync(new URL('../../../vectors/warp/p2p-messages.json', import.meta.url), 'utf8'),
)
const bad = (error: unknown): boolean => error instanceof Fault && error.code === 'bad-bytes'

void test('peer message: the constant frames, both ways', () => {
  const cases: [PeerMessage, string][] = [
    [{ kind: 'ping', uptime: 0 }, frames.ping.frame],
    [{ kind: 'ping', uptime: 100 }, frames.ping100.frame],
    [{ kind: 'pong' }, frames.pong.frame],
    [{ kind: 'peer-list', peers: [] }, frames.emptyPeerList.frame],
  ]
  for (const [message, frame] of cases) {
    const bytes = fromHex(frame).subarray(4)
    assert.equal(toHex(encodePeerMessage(message)), toHex(bytes))
    assert.deepEqual(decodePeerMessage(bytes), message)
  }
})

void test('peer message: the app request of the vectors, with a signature request inside', () => {
  const { chainId, requestId, deadlineNs, appBytes, message } = frames.appRequest
  const decoded = decodePeerMessage(fromHex(message))
  assert.equal(decoded.kind, 'app-request')
  if (decoded.kind !== 'app-request') return
  assert.equal(to0x(decoded.chainId), chainId)
  assert.equal(decoded.requestId, requestId)
  assert.equal(decoded.deadlineNs, BigInt(deadlineNs))
  assert.equal(to0x(decoded.appBytes), appBytes)
  assert.equal(to0x(encodePeerMessage(decoded)), message)
  const request = decodeSignatureRequest(decoded.appBytes)
  assert.equal(to0x(request.justification), '0x01020304')
  assert.equal(to0x(encodeSignatureRequest(request)), appBytes)
})

void test('signature request: another handler is a fault, unknown fields are passed over', () => {
  assert.throws(() => decodeSignatureRequest(fromHex('000a0101')), bad)
  assert.throws(() => decodeSignatureRequest(new Uint8Array()), bad)
  assert.deepEqual(decodeSignatureRequest(fromHex('02180a0a0107')).message, fromHex('07'))
  assert.deepEqual(decodeSignatureResponse(fromHex('18010a0205060a0107')), fromHex('07'))
  assert.equal(decodeSignatureResponse(new Uint8Array()).length, 0)
  assert.deepEqual(
    decodeSignatureResponse(encodeSignatureResponse(fromHex('0102'))),
    fromHex('0102'),
  )
})

const byteArray = (size: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: size, maxLength: size })
const place = { chainId: byteArray(32), requestId: fc.nat(0xffff_ffff) }
const claim = fc.record({
  certificate: fc.uint8Array({ maxLength: 40 }),
  ip: byteArray(16),
  port: fc.nat(65_535),
  timestamp: fc.bigInt(0n, 2n ** 64n - 1n),
  signature: fc.uint8Array({ maxLength: 70 }),
})
const known = fc.record({ filter: fc.uint8Array(), salt: byteArray(32) })
const u64 = fc.bigInt(0n, 2n ** 64n - 1n)
const anyMessage: fc.Arbitrary<PeerMessage> = fc.oneof(
  fc.record({ kind: fc.constant('ping' as const), uptime: fc.nat(0xffff_ffff) }),
  fc.record({ kind: fc.constant('peer-list' as const), peers: fc.array(claim, { maxLength: 15 }) }),
  fc.record({
    kind: fc.constant('get-peer-list' as const),
    knownPeers: known,
    allSubnets: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('app-request' as const),
    ...place,
    deadlineNs: u64,
    appBytes: fc.uint8Array(),
  }),
  fc.record({ kind: fc.constant('app-response' as const), ...place, appBytes: fc.uint8Array() }),
  fc.record({
    kind: fc.constant('app-error' as const),
    ...place,
    code: fc.integer(),
    message: fc.string(),
  }),
  fc.record({ kind: fc.constant('compressed' as const), bytes: fc.uint8Array() }),
  fc.record({
    kind: fc.constant('handshake' as const),
    networkId: fc.nat(0xffff_ffff),
    time: u64,
    ip: byteArray(16),
    port: fc.nat(65_535),
    upgradeTime: u64,
    addressTime: u64,
    tlsSignature: fc.uint8Array(),
    blsSignature: byteArray(96),
    tracked: fc.array(byteArray(32), { maxLength: 16 }),
    client: fc.record({ name: fc.string(), major: fc.nat(), minor: fc.nat(), patch: fc.nat() }),
    knownPeers: known,
    allSubnets: fc.boolean(),
  }),
)

void test('peer message: survives a round trip', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const decoded = decodePeerMessage(encodePeerMessage(message))
      assert.equal(toHex(encodePeerMessage(decoded)), toHex(encodePeerMessage(message)))
      assert.equal(decoded.kind, message.kind)
    }),
  )
})

void test('peer message: any bytes decode or are a fault, nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        decodePeerMessage(bytes)
      } catch (error) {
        assert.ok(bad(error))
      }
    }),
    { numRuns: 2_000 },
  )
})

void test('peer message: what is not for us is `other`, and cannot be written', () => {
  assert.deepEqual(decodePeerMessage(fromHex('820103010203')), { kind: 'other', field: 16 })
  assert.deepEqual(decodePeerMessage(new Uint8Array()), { kind: 'other', field: 0 })
  assert.throws(() => encodePeerMessage({ kind: 'other', field: 16 }), bad)
})

void test('peer message: lists longer than allowed are faults', () => {
  const peer = {
    certificate: fromHex('01'),
    ip: new Uint8Array(16),
    port: 1,
    timestamp: 1n,
    signature: fromHex('01'),
  }
  const list = (size: number): Uint8Array =>
    encodePeerMessage({ kind: 'peer-list', peers: Array.from({ length: size }, () => peer) })
  assert.equal(decodePeerMessage(list(64)).kind, 'peer-list')
  assert.throws(() => decodePeerMessage(list(65)), bad)
  const handshake = (subnets: string[]): Uint8Array => {
    const body = new ProtobufWriter().bytes(3, new Uint8Array(4))
    for (const subnet of subnets) body.bytes(8, fromHex(subnet))
    return new ProtobufWriter().bytes(13, body.finish()).finish()
  }
  const id = '01'.repeat(32)
  assert.equal(decodePeerMessage(handshake(Array.from({ length: 16 }, () => id))).kind, 'handshake')
  assert.throws(() => decodePeerMessage(handshake(Array.from({ length: 17 }, () => id))), bad)
  assert.throws(() => decodePeerMessage(handshake(['01'])), bad)
})

void test('protobuf: numbers too long, wrong types and ends too early are faults', () => {
  const read = (hex: string, how: (reader: ProtobufReader) => unknown): unknown => {
    const reader = new ProtobufReader(fromHex(hex))
    reader.next()
    return how(reader)
  }
  const u32 = (reader: ProtobufReader): number => reader.u32()
  const u64 = (reader: ProtobufReader): bigint => reader.u64()
  assert.equal(read('08ffffffff0f', u32), 0xffff_ffff)
  assert.throws(() => read('088080808010', u32), bad)
  assert.equal(read('08ffffffffffffffffff01', u64), 2n ** 64n - 1n)
  assert.throws(() => read('08ffffffffffffffffff02', u64), bad)
  assert.throws(() => read('08ffffffffffffffffffff01', u64), bad)
  assert.throws(() => read('08ff', u64), bad)
  assert.throws(() => read('0a0101', u64), bad)
  assert.throws(() => read('0801', (reader) => reader.bytes()), bad)
  assert.throws(() => read('0d0102', (reader) => reader.skip()), bad)
  assert.throws(() => read('0b', (reader) => reader.skip()), bad)
  assert.throws(() => new ProtobufReader(fromHex('8080808010')).next(), bad)
})

void test('signed address: 26 bytes, and the id gossip hashes', () => {
  const { ip, port, timestamp, bytes } = frames.ipBytes
  assert.equal(to0x(signedAddressBytes(parseIp(ip), port, BigInt(timestamp))), bytes)
  const { nodeId, timestamp: at, gossipId: id } = frames.gossipId
  assert.equal(to0x(gossipId(parseNodeId(nodeId), BigInt(at))), id)
})

void test('ip address: text and bytes, IPv4 and IPv6', () => {
  const cases: [string, string, string?][] = [
    ['127.0.0.1', '00000000000000000000ffff7f000001'],
    ['::ffff:1.2.3.4', '00000000000000000000ffff01020304', '1.2.3.4'],
    ['::1', '00000000000000000000000000000001', '0:0:0:0:0:0:0:1'],
    ['2001:db8::ff00:42:8329', '20010db8000000000000ff0000428329', '2001:db8:0:0:0:ff00:42:8329'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ]
  for (const [text, hex, shown] of cases) {
    assert.equal(toHex(parseIp(text)), hex, text)
    assert.equal(ipText(fromHex(hex)), shown ?? text)
  }
  for (const text of [
    '',
    '1.2.3',
    '1.2.3.256',
    '1:2',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '12345::',
  ]) {
    assert.throws(() => parseIp(text), Fault, text)
  }
  assert.throws(() => toIp16(new Uint8Array(5)), bad)
  assert.equal(toHex(toIp16(fromHex('01020304'))), '00000000000000000000ffff01020304')
})

void test('ip address: private ranges by their borders', () => {
  const inside = `0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 169.254.1.1 172.16.0.1
    172.31.255.255 192.168.1.1 224.0.0.1 255.255.255.255 :: ::1 fc00::1 fdff::1 fe80::1 febf::1
    ff02::1`.split(/\s+/)
  const outside = `1.2.3.4 100.63.0.1 100.128.0.1 169.253.1.1 172.15.0.1 172.32.0.1 192.167.1.1
    223.255.255.255 2001:db8::1 fec0::1`.split(/\s+/)
  for (const text of inside) assert.equal(isPrivateIp(parseIp(text)), true, text)
  for (const text of outside) assert.equal(isPrivateIp(parseIp(text)), false, text)
})

void test('peer message: fields a newer node may add are passed over', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      if (message.kind === 'compressed') return
      const bytes = encodePeerMessage(message)
      const outer = new ProtobufReader(bytes)
      const field = outer.next()
      // Field 100 with the number 1, behind those we know.
      const body = Uint8Array.from([...outer.bytes(), 0xa0, 0x06, 1])
      const grown = new ProtobufWriter().bytes(field, body).finish()
      const decoded = decodePeerMessage(grown)
      assert.equal(toHex(encodePeerMessage(decoded)), toHex(bytes))
    }),
  )
})
