/**
 * `/mcp`: tools for language models over HTTP, without sessions.
 *
 * A tool asks the operations of this server, in this process, with the key and the address of the caller: each
 * question counts as it would by itself. The library is loaded at the first request.
 */

import type { McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyRequest } from 'fastify'

import { Fault } from '../../core/fault.ts'
import { jsonOf } from '../../core/json.ts'
import type { Log } from '../../telemetry/log.ts'
import type { AskApi } from './tool-server.ts'

type Handler = (request: FastifyRequest, signal: AbortSignal) => Promise<Response>

const bodyBytes = 65_536

/** Adds the route to a server. `extend` adds to the tools, as the conformance suite of the protocol wants. */
export function mountMcp(
  http: FastifyInstance,
  version: string,
  log: Log,
  extend?: (tools: McpServer) => void,
): void {
  let handler: Promise<Handler> | undefined
  http.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    bodyLimit: bodyBytes,
    exposeHeadRoute: false,
    config: { lane: 'patient' },
    handler: async (request, reply) => {
      // A list of calls would be one request, and pass what limits requests.
      if (Array.isArray(request.body))
        throw new Fault('bad-parameter', 'lists of calls are not taken: send one call')
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      return reply.send(
        await (
          await (handler ??= open(http, version, log, extend))
        )(request, gone.signal),
      )
    },
  })
}

async function open(
  http: FastifyInstance,
  version: string,
  log: Log,
  extend: (tools: McpServer) => void = () => undefined,
): Promise<Handler> {
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const { toolServer } = await import('./tool-server.ts')
  const callers = new WeakMap<Request, FastifyRequest>()
  const mcp = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo)
      if (caller === undefined) throw new Error('a request without its caller')
      const origin = `${caller.protocol}://${caller.host}`
      const server = toolServer(askAs(http, caller), { version, origin })
      extend(server)
      return server
    },
    { maxSubscriptions: 0, onerror: (error: unknown) => log.debug('mcp', { error }) },
  )
  return async (request, signal) => {
    const { method, body } = request
    const url = `http://${request.host}/mcp`
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (name !== 'content-length' && value !== undefined) headers.set(name, String(value))
    const text = method === 'POST' ? JSON.stringify(body) : undefined
    const web = new Request(url, { method, headers, signal, ...(text && { body: text }) })
    callers.set(web, request)
    // Numbers of calls are read with their digits; the library takes those of JavaScript.
    return mcp.fetch(web, text === undefined ? {} : { parsedBody: jsonOf(text) })
  }
}

/** Asks the operations as the caller of `request`. */
export function askAs(
  http: FastifyInstance,
  { headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>,
): AskApi {
  const { host = '', authorization = '' } = headers
  const key = headers['x-service-api-key'] ?? /^Bearer (\S+)$/i.exec(authorization)?.[1]
  const forwarded = headers['x-forwarded-for']
  const own = {
    host,
    ...(key !== undefined && { 'x-service-api-key': key }),
    // Behind a reverse proxy it names the caller.
    ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
  }
  return async (path, body) => {
    const reply = await http.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: path,
      headers: own,
      remoteAddress: ip,
      ...(body !== undefined && { payload: Object(body) }),
    })
    return { status: reply.statusCode, text: reply.payload }
  }
}
