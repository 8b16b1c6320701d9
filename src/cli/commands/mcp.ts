/** `firn mcp`: tools for language models over standard input, which ask a running Firn. */

import { type AskApi, toolServer } from '../../api/mcp/tool-server.ts'
import { version } from '../../core/version.ts'
import { openWorld } from '../../world/world.ts'
import type { Flags } from '../flags.ts'
import { addressIn, callFirn } from '../running-firn.ts'

const limits = { timeoutMs: 30_000, maxBytes: 33_554_432 }

/** Serves until its input ends. */
export async function mcp(flags: Flags): Promise<void> {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const origin = await addressIn(flags, 'url')
  const { transport } = openWorld()
  const { key } = flags
  const headers = {
    'content-type': 'application/json',
    ...(typeof key === 'string' && { 'x-service-api-key': key }),
  }
  const ask: AskApi = async (path, body) => {
    const url = `${origin}${path}`
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const method = sent === undefined ? 'GET' : 'POST'
    const reply = await callFirn(transport, {
      url,
      method,
      headers,
      ...(sent && { body: sent }),
      ...limits,
    })
    return { status: reply.status, text: Buffer.from(reply.body).toString() }
  }
  serveStdio(() => toolServer(ask, { version, origin }))
}
