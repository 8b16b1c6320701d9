import { Fault, faultOf } from '../core/fault.ts'
import type { HttpReply, HttpRequest, Transport } from '../core/world.ts'
import type { Flags } from './flags.ts'

/**
 * The address of a running Firn that a flag gives, without slashes at its end; else where the
 * configuration has it listen. Throws `bad-config`.
 */
export async function addressIn(flags: Flags, name: 'url' | 'nodeUrl'): Promise<string> {
  const given = flags[name]
  if (given !== undefined) return String(given).replace(/\/+$/, '')
  const { loadConfig } = await import('./discovery/load-config.ts')
  const { config } = loadConfig(flags)
  return name === 'url'
    ? listening(config['api.host'], config['api.port'])
    : listening(config['node.host'], config['node.port'])
}

/** A Firn that listens on every address of a machine is called on the loopback address. */
function listening(host: string, port: number): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${named.includes(':') ? `[${named}]` : named}:${port}`
}

/**
 * Calls a running Firn. Throws what the transport throws; where nothing answers, a
 * `node-unreachable` that says where it was looked for.
 */
export async function callFirn(transport: Transport, request: HttpRequest): Promise<HttpReply> {
  try {
    return await transport.request(request)
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'node-unreachable') throw error
    const reason = fault.message.split(': ').at(-1) ?? ''
    throw new Fault(fault.code, `no Firn answers, ${reason}: ${new URL(request.url).origin}`, {
      detail: fault.detail,
      cause: error,
    })
  }
}
