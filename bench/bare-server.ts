/**
 * A bare `node:http` server that sends what another one sends for a path, made once: the floor of what a list costs.
 *
 * Started with the other one's address; prints its port.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const of = process.argv[2] ?? ''
const bodies = new Map<string, Promise<Buffer>>()

async function bodyOf(path: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(of + path)).arrayBuffer())
}

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const body = bodies.get(path) ?? bodyOf(path)
  bodies.set(path, body)
  void body.then((bytes) => {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': bytes.length,
    })
    response.end(bytes)
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${port}\n`)
})
