/** Counts the statements that clients send to a PostgreSQL server, on their way. */

import { connect, createServer, type Socket } from 'node:net'

/** The counter. */
export type StatementCount = {
  /** The database, by way of the count. */
  readonly url: string
  readonly statements: () => number
  readonly close: () => Promise<void>
}

/** Messages of clients that run a statement: Execute and Query. Source: PostgreSQL, chapter 55.7. */
const running = new Set([0x45, 0x51])

/** Counts what is sent to the database of `url`. */
export async function countStatements(url: string): Promise<StatementCount> {
  const target = new URL(url)
  const port = Number(target.port)
  const open = new Set<Socket>()
  let statements = 0
  const server = createServer((caller) => {
    const callee = connect(port, '127.0.0.1')
    for (const socket of [caller, callee]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        caller.destroy()
        callee.destroy()
      })
    }
    const count = counter(() => statements++)
    caller.on('data', (bytes: Buffer) => {
      count(bytes)
      callee.write(bytes)
    })
    callee.pipe(caller)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  target.port = String(address.port)
  return {
    url: target.href,
    statements: () => statements,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads messages of one client, the first of which has a length only. */
function counter(told: () => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let isFirst = true
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const head = isFirst ? 0 : 1
      if (rest.length < head + 4) return
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return
      if (!isFirst && running.has(rest.readUInt8(0))) told()
      isFirst = false
      rest = rest.subarray(length)
    }
  }
}
