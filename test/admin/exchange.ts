/** One HTTP exchange over a plain socket, so that every byte of the request is ours. */

import { connect } from 'node:net'

/** A request. `headers` are sent as written; `host` is left out when `null`. */
export type RawRequest = {
  readonly method?: string
  readonly path?: string
  readonly host?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Answer to a request, header names in lower case. */
export type RawReply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends one request on a connection of its own and reads until the other side closes. */
export async function exchange(port: number, request: RawRequest): Promise<RawReply> {
  const { method = 'POST', path = '/ext/admin', host = `127.0.0.1:${port}`, body = '' } = request
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  Object.assign(headers, request.headers)
  const version = host === null ? 'HTTP/1.0' : 'HTTP/1.1'
  const lines = [`${method} ${path} ${version}`]
  if (host !== null) lines.push(`Host: ${host}`)
  for (const [name, value] of Object.entries(headers))
    if (value !== '') lines.push(`${name}: ${value}`)
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(lines.join('\r\n')))
  socket.setTimeout(20_000, () => socket.destroy(new Error(`no reply in 20 s: ${path}`)))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('end', () => resolve(Buffer.concat(chunks)))
  socket.on('error', reject)
  const reply = parseReply(await promise)
  socket.destroy()
  return reply
}

function parseReply(bytes: Buffer): RawReply {
  const text = bytes.toString('utf8')
  const split = text.indexOf('\r\n\r\n')
  const [first = '', ...rest] = text.slice(0, split).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of rest) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const body = text.slice(split + 4)
  const whole = headers['transfer-encoding'] === 'chunked' ? unchunk(body) : body
  return { status: Number(first.split(' ')[1]), headers, body: whole }
}

function unchunk(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, end).toString(), 16)
    if (!(size > 0)) return Buffer.concat(parts).toString('utf8')
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}
