import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'

import { acceptOf, closeCodes, frame, TellingSocket } from './web-socket.ts'

void test('WebSocket: the opening of RFC 6455 is accepted as it says, others are none', () => {
  const key = 'dGhlIHNhbXBsZSBub25jZQ=='
  const version = { 'sec-websocket-version': '13' }
  assert.equal(acceptOf({ ...version, 'sec-websocket-key': key }), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  assert.equal(acceptOf({ 'sec-websocket-version': '8', 'sec-websocket-key': key }), undefined)
  assert.equal(acceptOf({ ...version, 'sec-websocket-key': 'c2hvcnQ=' }), undefined)
  assert.equal(acceptOf(version), undefined)
})

void test('WebSocket: lengths of frames are written in the shortest form', () => {
  const head = (length: number): string =>
    Buffer.from(frame(1, new Uint8Array(length)).subarray(0, -length || undefined)).toString('hex')
  // Section 5.7 of RFC 6455: 256 bytes, and 64 KiB.
  assert.equal(Buffer.from(frame(1, Buffer.from('Hello'))).toString('hex'), '810548656c6c6f')
  assert.equal(head(125), '817d')
  assert.equal(head(126), '817e007e')
  assert.equal(head(256), '817e0100')
  assert.equal(head(65_535), '817effff')
  assert.equal(head(65_536), '817f0000000000010000')
})

/** Both ends of a connection over loopback; what the server's end sends is collected. */
async function pair(
  t: TestContext,
): Promise<{ readonly ours: Socket; readonly theirs: Socket; readonly ended: Promise<Buffer> }> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const server = createServer(resolve)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const theirs = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const parts: Buffer[] = []
  theirs.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise<Buffer>((done) => theirs.on('end', () => done(Buffer.concat(parts))))
  const ours = await promise
  t.after(() => {
    theirs.destroy()
    server.close()
  })
  return { ours, theirs, ended }
}

const mask = '37fa213d'
const cases: readonly (readonly [string, string, number])[] = [
  ['no mask', '8100', closeCodes.broken],
  ['64 bits of length', '81ff0000000000010000', closeCodes.tooLong],
  ['more than is read', `81fe0401${mask}`, closeCodes.tooLong],
  ['a close', `8880${mask}`, closeCodes.over],
]
for (const [name, hex, code] of cases)
  void test(`WebSocket: ${name} closes it, byte by byte or at once`, async (t) => {
    for (const step of [1, 1_000]) {
      const { ours, ended } = await pair(t)
      let closed = 0
      const socket = new TellingSocket(ours, () => closed++)
      const bytes = Buffer.from(hex, 'hex')
      for (let at = 0; at < bytes.length; at += step) socket.take(bytes.subarray(at, at + step))
      const said = await ended
      assert.equal(said[0], 0x88)
      assert.equal(said.readUInt16BE(2), code)
      assert.ok(closed > 0)
    }
  })

void test('WebSocket: pings are answered with what they held', async (t) => {
  const { ours, ended } = await pair(t)
  const socket = new TellingSocket(ours, () => undefined)
  // The masked "Hello" of section 5.7, as a ping.
  socket.take(Buffer.from('898537fa213d7f9f4d5158', 'hex'))
  await socket.send('x')
  socket.close(closeCodes.over, '')
  assert.equal((await ended).toString('hex'), '8a0548656c6c6f8101788802 03e8'.replaceAll(' ', ''))
})
