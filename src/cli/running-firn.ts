import { Fault, faultOf } from '../core/fault.ts'
import type { HttpReply, HttpRequest, Transport } from '../core/world.ts'
import type { Flags } from './flags.ts'

/** The address a flag gives, without slashes at its end. */
export function addressIn(flags: Flags, name: 'url' | 'nodeUrl'): string {
  return String(flags[name] ?? '').replace(/\/+$/, '')
}

/**
 * Asks a running Firn. Throws what the transport throws; where nothing answers, a
 * `node-unreachable` that says where it was looked for.
 */
export async function askFirn(transport: Transport, request: HttpRequest): Promise<HttpReply> {
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
