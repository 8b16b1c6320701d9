/**
 * A TCP relay that can fall silent: connections stay open and nothing passes, as behind a cut
 * cable, a firewall that forgot them, or a server that is stopped.
 */

import { connect, createServer, type Socket } from 'node:net'

/** A relay to one server. */
export type SilentRelay = {
  readonly port: number
  /** Nothing passes any more; new connections are taken and left alone. */
  readonly silence: () => void
  /** New connections are served again. Those of before stay silent. */
  readonly recover: () => void
  readonly close: () => Promise<void>
}

/** Relays to `port` of this machine. */
export async function silentRelay(port: number): Promise<SilentRelay> {
  const open = new Set<Socket>()
  let isSilent = false
  const server = createServer((caller) => {
    const callee = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      open.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      if (isSilent) from.pause()
      else from.on('data', (bytes) => to.write(bytes))
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    silence: () => {
      isSilent = true
      for (const socket of open) socket.pause()
    },
    recover: () => {
      isSilent = false
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}
