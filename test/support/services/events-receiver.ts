/**
 * A receiver of webhooks as a process of its own: writes down what came before it answers.
 *
 *     node events-receiver.ts PORT FILE
 *
 * One line of JSON for each message: its headers and its body as text. While a file FILE.hold exists
 * a message is written down and never answered; while FILE.refuse exists it is answered 500.
 */

import { appendFileSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [, , port = '0', file = ''] = process.argv

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts).toString('utf8')
    appendFileSync(file, `${JSON.stringify({ headers: request.headers, body })}\n`)
    if (existsSync(`${file}.hold`)) return
    response.writeHead(existsSync(`${file}.refuse`) ? 500 : 200).end()
  })
})
server.listen(Number(port), '127.0.0.1', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  console.log((server.address() as AddressInfo).port)
})
