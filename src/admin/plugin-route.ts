/** `/ext/bc/<chain>/blocks/<id>`: blocks of a chain whose VM is a plugin, decoded. */

import { Fault, faultOf } from '../core/fault.ts'
import { isObject, jsonOf } from '../core/json.ts'
import type { NodeChain } from './alias-rules.ts'
import { textReply } from './node-http.ts'
import type { Plugins } from './plugins.ts'
import type { RouteHandler } from './route-table.ts'
import type { RpcProxy } from './rpc-proxy.ts'
import { toJson } from './rpc-server.ts'

const path = /^\/blocks\/([A-Za-z0-9_-]{1,128})$/

/** The handler of one block of a chain, or `undefined` when its VM is no plugin. */
export function pluginRoute(
  { vmId, rpcUrls }: NodeChain,
  extension: string,
  { plugins, proxy }: { readonly plugins: Plugins; readonly proxy: RpcProxy },
): RouteHandler | undefined {
  const name = path.exec(extension)?.[1]
  if (vmId === undefined || name === undefined || !plugins.has(vmId)) return undefined
  return async (request) => {
    if (request.method !== 'GET') return textReply(405, 'GET required\n')
    const ask = async (body: unknown): Promise<unknown> => {
      const bytes = new TextEncoder().encode(JSON.stringify(body))
      return jsonOf((await proxy.post(rpcUrls, bytes, request.signal)).body)
    }
    try {
      const block = await plugins.readBlock(vmId, name, ask)
      if (!isObject(block)) throw new Fault('bad-bytes', 'plugin gave no block')
      return { status: 200, contentType: 'application/json', body: `${toJson(block)}\n` }
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      return textReply(fault.code === 'bad-bytes' ? 502 : 503, `${fault.message}\n`)
    }
  }
}
