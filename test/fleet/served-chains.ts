/** One recorded chain as many: only its id differs. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { ReplayNode } from '../support/nodes/replay-node.ts'
import { atEnd, type Ending } from '../support/processes/firn-process.ts'

/** Serves the chain of `node` under any number of ids: `<url>/<chain id>`. */
export async function serveUnderIds(t: Ending, node: ReplayNode): Promise<string> {
  const own = `"0x${node.recording.header.chainId.toString(16)}"`
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { exchange } = node.answer(Buffer.concat(parts).toString('utf8'))
      const id = `"0x${Number(request.url?.slice(1)).toString(16)}"`
      const isId = exchange.calls.some(({ method }) => method === 'eth_chainId')
      const text = isId ? exchange.reply.text.replace(own, id) : exchange.reply.text
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(
    t,
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}
