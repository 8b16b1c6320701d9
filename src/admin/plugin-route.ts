/** `/ext/bc/<chain>/blocks/<id>`: blocks of a chain whose VM is a plugin, decoded. */

import { Fault, faultOf } from '../core/fault.ts'
import { jsonOf, membersOf } from '../core/json.ts'
import type { NodeChain } from './alias-rules.ts'
import { type NodeReply, type NodeRequest, textReply } from './node-http.ts'
import type { PluginHost } from './plugin-host.ts'
import type { PluginRegistry } from './plugin-registry.ts'
import type { VmBlock } from './plugin.ts'
import type { RouteHandler } from './route-table.ts'
import type { RpcProxy } from './rpc-proxy.ts'
import { toJson } from './rpc-server.ts'

/** Parts of the route. */
export type PluginRouteParts = { readonly plugins: PluginRegistry; readonly proxy: RpcProxy }

const prefix = '/blocks/'

// An id of any VM fits; what is asked of a node must not grow without limit.
const maxNameLength = 128

/** The handler of one block of a chain, or `undefined` when its VM is no plugin. */
export function pluginRoute(
  chain: NodeChain,
  extension: string,
  { plugins, proxy }: PluginRouteParts,
): RouteHandler | undefined {
  const { vmId } = chain
  if (vmId === undefined || !extension.startsWith(prefix)) return undefined
  const name = extension.slice(prefix.length)
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.length > maxNameLength) return undefined
  const host = plugins.hostOf(vmId)
  if (host === undefined) return undefined
  return async (request) => {
    if (request.method !== 'GET') return textReply(405, 'GET required\n')
    const key = `${chain.network} ${chain.id} ${name}`
    const known = proxy.cache.get(key)
    if (known !== undefined) return blockReply(known)
    try {
      const block = toJson(await readBlock(name, { chain, host: await host, proxy, request }))
      // A block of an id is what it is; only the newest moves on.
      if (name !== 'latest') proxy.cache.set(key, block)
      return blockReply(block)
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      return textReply(fault.code === 'bad-bytes' ? 502 : 503, `${fault.message}\n`)
    }
  }
}

type Reading = {
  readonly chain: NodeChain
  readonly host: PluginHost
  readonly proxy: RpcProxy
  readonly request: NodeRequest
}

async function readBlock(name: string, reading: Reading): Promise<VmBlock> {
  const { chain, host, proxy, request } = reading
  const blockchainId = chain.id
  const asked = await host.call({ blockchainId, method: 'request', argument: name })
  const { extension, body } = checkedRequest(asked)
  const urls = chain.rpcUrls.map((url) => url.replace(/\/+$/, '') + extension)
  const reply = await proxy.post(
    urls,
    new TextEncoder().encode(JSON.stringify(body)),
    request.signal,
  )
  const answer = jsonOf(reply.body)
  if (answer === undefined)
    throw new Fault('node-answer', 'node answered something that is not JSON')
  const block = await host.call({ blockchainId, method: 'decode', argument: answer })
  return checkedBlock(block)
}

function checkedRequest(value: unknown): { extension: string; body: unknown } {
  const { extension, body } = membersOf(value)
  if (typeof extension !== 'string' || !/^(\/[A-Za-z0-9_-]{1,64}){0,4}$/.test(extension)) {
    throw new Fault('bad-bytes', 'plugin asked for an invalid path')
  }
  return { extension, body }
}

function checkedBlock(value: unknown): VmBlock {
  const { id, parentId, height, timestamp, transactions } = membersOf(value)
  if (typeof id !== 'string' || typeof parentId !== 'string') wrongBlock('id or parentId')
  if (!isCount(height)) wrongBlock('height')
  if (!isCount(timestamp)) wrongBlock('timestamp')
  if (!Array.isArray(transactions)) wrongBlock('transactions')
  return { id, parentId, height, timestamp, transactions: transactions.map(checkedTransaction) }
}

function checkedTransaction(value: unknown): VmBlock['transactions'][number] {
  const { id, type, fields } = membersOf(value)
  if (typeof type !== 'string') wrongBlock('type of a transaction')
  if (id !== undefined && typeof id !== 'string') wrongBlock('id of a transaction')
  return { ...(id === undefined ? {} : { id }), type, fields: membersOf(fields) }
}

function wrongBlock(what: string): never {
  throw new Fault('bad-bytes', `plugin gave a block without a proper ${what}`)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function blockReply(json: string): NodeReply {
  return { status: 200, contentType: 'application/json', body: `${json}\n` }
}
