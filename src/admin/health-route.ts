/** `/ext/health` and its three. Source: avalanchego api/health/handler.go, service.go. */

import type { Health, HealthKind } from '../telemetry/health.ts'
import type { Log } from '../telemetry/log.ts'
import type { NodeReply, NodeRequest } from './node-http.ts'
import type { RouteHandler } from './route-table.ts'
import { rpcHandler, toJson, type RpcMethod } from './rpc/rpc-server.ts'

type Question = HealthKind | 'liveness'

/** Handlers by extension. GET answers 200 or 503; JSON-RPC always 200. */
export function healthRoutes(
  health: Pick<Health, 'answer'>,
  log: Log,
): ReadonlyMap<string, RouteHandler> {
  const get =
    (question: Question) =>
    ({ query }: NodeRequest): NodeReply => {
      const answer = health.answer(question, query.getAll('tag'))
      const status = answer.healthy ? 200 : 503
      return { status, contentType: 'application/json', body: `${toJson(answer)}\n` }
    }
  const method = (question: Question): RpcMethod => ({
    params: { tags: 'texts' },
    call: ({ tags }) => health.answer(question, Array.isArray(tags) ? tags : []),
  })
  const service = {
    health: method('health'),
    readiness: method('readiness'),
    liveness: method('liveness'),
  }
  const rpc = rpcHandler({ health: service }, log)
  return new Map<string, RouteHandler>([
    ['', (request) => (request.method === 'GET' ? get('health')(request) : rpc(request))],
    ['/health', get('health')],
    ['/readiness', get('readiness')],
    ['/liveness', get('liveness')],
  ])
}
