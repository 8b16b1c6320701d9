/** A connection of bare HTTP/1.1: bytes are sent as given, answers are read one by one. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** An answer; header names in lower case. */
export type RawAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An open connection. */
export type RawConnection = {
  readonly socket: Socket
  /** The next answer that has a content-length. Rejects when the connection ends before. */
  readonly reply: () => Promise<RawAnswer>
}

/** Connects to 127.0.0.1 from `localAddress`; closed after the test. */
export async function openRaw(
  t: TestContext,
  port: number,
  localAddress = '127.0.0.1',
): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  let bytes = Buffer.alloc(0)
  let chunks: Buffer[] = []
  let missing = 1
  let isOver = false
  const waiting: { resolve: (reply: RawAnswer) => void; reject: (error: Error) => void }[] = []
  const tell = (): void => {
    while (waiting.length > 0 && missing <= 0) {
      bytes = Buffer.concat([bytes, ...chunks])
      chunks = []
      const found = answerIn(bytes)
      missing = found.missing
      if (found.answer === undefined) break
      bytes = bytes.subarray(found.bytes)
      missing = bytes.length === 0 ? 1 : 0
      waiting.shift()?.resolve(found.answer)
    }
    if (isOver) for (const { reject } of waiting.splice(0)) reject(new Error('connection ended'))
  }
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    missing -= chunk.length
    tell()
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isOver = true
    tell()
  })
  return {
    socket,
    reply: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        tell()
      }),
  }
}

type Found = {
  readonly answer?: RawAnswer
  /** Length of the answer; 0 when it is not all there. */
  readonly bytes: number
  /** Bytes that must come before it is worth looking again. */
  readonly missing: number
}

function answerIn(bytes: Buffer): Found {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return { bytes: 0, missing: 1 }
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const until = end + 4 + Number(headers['content-length'])
  if (bytes.length < until) return { bytes: 0, missing: until - bytes.length }
  const body = bytes.toString('utf8', end + 4, until)
  const answer = { status: Number(first.split(' ')[1]), headers, body }
  return { answer, bytes: until, missing: 0 }
}
