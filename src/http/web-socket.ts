/**
 * The server's side of a WebSocket that only tells: text goes out, what comes in is not read.
 *
 * Source: RFC 6455. Frames of callers are at most {@link maxFrameBytes} long, so that a caller that
 * sends more costs nothing; extensions and sub-protocols are not offered.
 */

import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

/** A control frame is no longer, and nothing else is expected. */
const maxFrameBytes = 1_024

/** Time for the other end to close. */
const lingerMs = 1_000

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

const codes = { text: 1, close: 8, ping: 9, pong: 10 } as const

/** Reasons to close. Source: RFC 6455, section 7.4.1, and the registry of IANA. */
export const closeCodes = { over: 1000, goingAway: 1001, broken: 1002, tooLong: 1009 } as const

/** The header that accepts an opening handshake; `undefined` for a request that is none. */
export function acceptOf(headers: IncomingHttpHeaders): string | undefined {
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = headers
  if (version !== '13' || key === undefined) return undefined
  if (Buffer.from(key, 'base64').length !== 16) return undefined
  return createHash('sha1').update(`${key}${magic}`).digest('base64')
}

/** A frame with no mask, as servers send them. */
export function frame(code: number, payload: Uint8Array): Uint8Array {
  const { length } = payload
  const head = [0x80 | code]
  if (length < 126) head.push(length)
  else if (length < 65_536) head.push(126, length >> 8, length & 255)
  else {
    const size = Buffer.alloc(9)
    size[0] = 127
    size.writeBigUInt64BE(BigInt(length), 1)
    head.push(...size)
  }
  return Buffer.concat([Uint8Array.from(head), payload])
}

/** An open socket. */
export class TellingSocket {
  readonly #socket: Socket
  readonly #closed: () => void
  #held: Buffer = Buffer.alloc(0)
  #isClosing = false

  /** Over a socket whose opening was accepted; `closed` is told once when it is over. */
  constructor(socket: Socket, closed: () => void) {
    this.#socket = socket
    this.#closed = closed
    socket.once('close', closed)
    socket.on('error', () => socket.destroy())
  }

  /** Takes what was read from the socket. */
  readonly take = (chunk: Buffer): void => {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    while (!this.#isClosing && this.#takeFrame());
  }

  /** Sends a text; resolves when the next may be sent. */
  async send(text: string): Promise<void> {
    await this.#write(frame(codes.text, Buffer.from(text, 'utf8')))
  }

  /** Sends a ping. The answer is not awaited; sending ends a socket that is gone. */
  async ping(): Promise<void> {
    await this.#write(frame(codes.ping, new Uint8Array()))
  }

  /** Says that it is over, and why. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return
    this.#isClosing = true
    const words = Buffer.from(reason.slice(0, 100), 'utf8')
    const payload = Buffer.concat([Uint8Array.of(code >> 8, code & 255), words])
    this.#socket.end(frame(codes.close, payload))
    this.#closed()
    // A caller that does not close its end is cut off, so that a server that stops need not wait.
    const late = AbortSignal.timeout(lingerMs)
    const cut = (): void => void this.#socket.destroy()
    late.addEventListener('abort', cut, { once: true })
    this.#socket.once('close', () => late.removeEventListener('abort', cut))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosing || this.#socket.destroyed || this.#socket.write(bytes)) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#socket.removeListener('drain', done)
        this.#socket.removeListener('close', done)
        resolve()
      }
      this.#socket.on('drain', done)
      this.#socket.on('close', done)
    })
  }

  /** Takes one frame; false when there is no whole one. */
  #takeFrame(): boolean {
    const held = this.#held
    const [first = 0, second = 0] = held
    if (held.length < 2) return false
    const short = second & 127
    const isLong = short === 126
    if (short === 127) return this.#refuse(closeCodes.tooLong, 'a frame is too long')
    if ((second & 128) === 0) return this.#refuse(closeCodes.broken, 'a frame is not masked')
    const headBytes = (isLong ? 4 : 2) + 4
    if (held.length < headBytes) return false
    const length = isLong ? held.readUInt16BE(2) : short
    if (length > maxFrameBytes) return this.#refuse(closeCodes.tooLong, 'a frame is too long')
    if (held.length < headBytes + length) return false
    const mask = held.subarray(headBytes - 4, headBytes)
    const payload = Uint8Array.from(
      held.subarray(headBytes, headBytes + length),
      (byte, at) => byte ^ (mask[at & 3] ?? 0),
    )
    this.#held = held.subarray(headBytes + length)
    const code = first & 15
    if (code === codes.close) return this.#refuse(closeCodes.over, '')
    if (code === codes.ping) this.#socket.write(frame(codes.pong, payload))
    return true
  }

  #refuse(code: number, reason: string): boolean {
    this.close(code, reason)
    return false
  }
}
