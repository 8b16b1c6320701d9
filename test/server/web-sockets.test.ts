/** WebSockets of the public server: their handshake on bare connections, limits of each and of all, and their end. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'

import { createServer } from '../../src/api/server/server.ts'
import type { Peer } from '../../src/api/server/web-sockets.ts'
import { Fault } from '../../src/core/fault.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { openRaw, type RawConnection } from '../support/services/raw-http.ts'

type Talking = {
  readonly port: number
  readonly peers: Peer[]
  /** Resolves when the next socket is closed. */
  readonly nextEnd: () => Promise<unknown>
  readonly close: () => Promise<void>
}

/** A server whose sockets echo what they receive, and whose path `/away` refuses. */
async function talking(t: TestContext, admit?: () => Promise<undefined>): Promise<Talking> {
  const events = new EventTarget()
  const peers: Peer[] = []
  const server = createServer({
    operations: [],
    dialectRules: {},
    dialect: 'auto',
    log: silentLog,
    clock: systemClock,
    web: {
      allowedHosts: ['localhost'],
      cors: { any: false, allows: (origin) => origin === 'https://app.example' },
    },
    limits: { maxConnections: 500, requestTimeoutMs: 1_000, handlerTimeoutMs: 1_000 },
    ...(admit && { admit }),
    sockets: {
      isAt: (path) => path === '/talk' || path === '/away',
      open: (path, peer) => {
        if (path === '/away') throw new Fault('not-found', 'nobody is here')
        peers.push(peer)
        return {
          said: async (text) => {
            await peer.charge(1)
            peer.say(text)
          },
          end: () => void events.dispatchEvent(new Event('end')),
        }
      },
    },
  })
  server.http.get('/plain', async () => 'plain')
  server.http.post('/slow', (request) => once(request.raw.socket, 'close'))
  const url = await server.listen('127.0.0.1', 0)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= server.close())
  t.after(close)
  return { port: Number(new URL(url).port), peers, nextEnd: () => once(events, 'end'), close }
}

const handshake = (path = '/talk', more = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
  `sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`

/** A whole text frame of a client, masked with zeros. Source: RFC 6455, section 5.2. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  assert.ok(payload.length < 126)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}

/** Writes bytes, which are a packet of their own where the other end reads at once. */
function written({ socket }: RawConnection, bytes: string | Buffer): Promise<unknown> {
  return new Promise((resolve) => {
    socket.write(bytes, resolve)
  })
}

/** What a connection gets until it has `wanted`, or has ended. */
function until({ socket }: RawConnection, wanted: string): Promise<string> {
  socket.removeAllListeners('data')
  return new Promise((resolve) => {
    let got = ''
    const done = (): void => {
      socket.off('data', take)
      resolve(got)
    }
    const take = (part: Buffer): void => {
      got += String(part)
      if (got.includes(wanted)) done()
    }
    socket.on('data', take).once('close', done)
  })
}

void test('web sockets: a frame in the packet of its handshake is answered, whole or in parts', async (t) => {
  const { port } = await talking(t)
  const bytes = Buffer.concat([Buffer.from(handshake()), frame('early'), frame('and this')])
  for (const parts of [[bytes.length], [40, bytes.length], [bytes.length - 4, bytes.length]]) {
    const connection = await openRaw(t, port)
    let from = 0
    for (const end of parts) {
      await written(connection, bytes.subarray(from, end))
      from = end
    }
    const got = await until(connection, 'and this')
    assert.match(got, /^HTTP\/1\.1 101 /)
    assert.ok(got.includes('early') && got.includes('and this'), got)
  }
})

void test('web sockets: a handshake behind an answered request is taken, one behind an open one ends it', async (t) => {
  const { port } = await talking(t)
  const behind = await openRaw(t, port)
  behind.socket.write(`GET /plain HTTP/1.1\r\nhost: localhost\r\n\r\n${handshake()}`)
  behind.socket.write(frame('after'))
  const got = await until(behind, 'after')
  assert.match(got, /^HTTP\/1\.1 200 [^]*plainHTTP\/1\.1 101 [^]*after/)
  const inside = await openRaw(t, port)
  const slow = 'POST /slow HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n'
  await written(inside, `${slow}content-length: 4\r\n\r\n`)
  await written(inside, `null${handshake()}`)
  assert.doesNotMatch(await until(inside, '\0\0never'), / 101 /)
})

void test('web sockets: a refused upgrade gets a status, and the connection ends', async (t) => {
  const { port } = await talking(t)
  for (const [sent, status] of [
    [handshake('/away'), 404],
    [handshake('/talk', 'origin: https://evil.example\r\n'), 403],
    [handshake('/talk', 'origin: null\r\n'), 403],
    [handshake('/talk', 'sec-fetch-site: cross-site\r\n'), 403],
    [handshake().replace('host: localhost', 'host: evil.example'), 403],
    [handshake().replace('host: localhost\r\n', ''), 400],
    [handshake().replace('version: 13', 'version: 7'), 400],
    [handshake().replace('upgrade: websocket', 'upgrade: h2c'), 404],
    [handshake('/elsewhere'), 404],
  ] as const) {
    const connection = await openRaw(t, port)
    connection.socket.write(sent)
    assert.equal((await connection.reply()).status, status, sent)
  }
  const allowed = await openRaw(t, port)
  allowed.socket.write(handshake('/talk', 'origin: https://app.example\r\n'))
  allowed.socket.write(frame('in'))
  assert.match(await until(allowed, 'in'), / 101 /)
})

void test('web sockets: an address has sixteen, others are refused until one goes', async (t) => {
  const one = await talking(t)
  const open = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const connection = await openRaw(t, one.port)
      connection.socket.write(handshake())
      connection.socket.write(frame('here'))
      return { connection, got: await until(connection, 'here') }
    }),
  )
  const taken = open.filter(({ got }) => got.includes(' 101 '))
  const refused = open.filter(({ got }) => got.startsWith('HTTP/1.1 503 '))
  assert.deepEqual([taken.length, refused.length], [16, 4])
  const ended = one.nextEnd()
  taken[0]?.connection.socket.destroy()
  await ended
  const next = await openRaw(t, one.port)
  next.socket.write(handshake())
  next.socket.write(frame('again'))
  assert.match(await until(next, 'again'), / 101 /)
})

void test('web sockets: a client that does not read is cut off, and others go on', async (t) => {
  const { port, peers, nextEnd } = await talking(t)
  const reader = await openRaw(t, port)
  reader.socket.write(handshake())
  reader.socket.write(frame('reads'))
  await until(reader, 'reads')
  const slow = await openRaw(t, port)
  slow.socket.write(handshake())
  slow.socket.write(frame('first'))
  await until(slow, 'first')
  slow.socket.pause()
  const ended = nextEnd()
  const text = 'x'.repeat(262_144)
  for (let sent = 0; sent < 64; sent++) peers[1]?.say(text)
  await ended
  assert.equal(peers[1]?.signal.aborted, true)
  assert.equal(peers[0]?.signal.aborted, false)
})

void test('web sockets: a key that is gone ends the socket, and a limit at the handshake is 429', async (t) => {
  let fault: Fault | undefined
  const { port } = await talking(t, async () => {
    if (fault !== undefined) throw fault
    return undefined
  })
  const socket = new WebSocket(`ws://127.0.0.1:${port}/talk`)
  await once(socket, 'open')
  fault = new Fault('key-required', 'the API key is not known here')
  socket.send('hello')
  const [closed] = await once(socket, 'close')
  assert.equal(closed.code, 1008)
  for (const [code, status] of [
    ['key-required', 401],
    ['rate-limited', 429],
  ] as const) {
    fault = new Fault(code, 'no')
    const connection = await openRaw(t, port)
    connection.socket.write(handshake())
    assert.equal((await connection.reply()).status, status)
  }
})

void test('web sockets: stopping closes them with a reason, also those that do not read', async (t) => {
  const { port, peers, close } = await talking(t)
  const sockets = await Promise.all(
    Array.from({ length: 15 }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/talk`)
      await once(socket, 'open')
      return socket
    }),
  )
  const deaf = await openRaw(t, port)
  deaf.socket.write(handshake())
  deaf.socket.write(frame('deaf'))
  await until(deaf, 'deaf')
  deaf.socket.pause()
  const codes = sockets.map(async (socket) => (await once(socket, 'close'))[0].code)
  const beganMs = performance.now()
  await close()
  assert.ok(performance.now() - beganMs < 4_000)
  assert.deepEqual([...new Set(await Promise.all(codes))], [1012])
  assert.equal(peers.length, 16)
  assert.ok(peers.every(({ signal }) => signal.aborted))
})
