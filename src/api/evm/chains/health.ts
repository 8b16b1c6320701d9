/** Health checks of the service. */

import { NoPath, NoQuery } from '../../../shape/evm/parameters.ts'
import { Type, type Static } from '../../../shape/type.ts'
import { checkpointHeights } from '../../../store/checkpoint.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { operation, type Operation } from '../../operation/operation.ts'

const indicators = Type.Record(Type.String(), Type.Object({ status: Type.Enum(['up', 'down']) }))

/** State of the service and its parts. */
const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'error', 'shutting_down'], { description: 'All in one word' }),
    info: indicators,
    error: indicators,
    details: indicators,
  },
  { $id: 'Health', additionalProperties: false },
)

/** Decoded {@link Health}. */
type Health = Static<typeof Health>

const common = {
  tag: 'Health',
  weight: 1,
  open: true,
  parameters: { path: NoPath, query: NoQuery },
  response: Health,
} as const

const HealthCheck = {
  ...common,
  id: 'data-health-check',
  path: '/v1/health-check',
  summary: 'Whether the stores answer',
} as const

const LiveCheck = {
  ...common,
  id: 'live-check',
  path: '/v1/live-check',
  summary: 'Whether the process answers',
} as const

const HealthCheckV2 = {
  ...common,
  id: 'metrics-health-check',
  path: '/v2/health-check',
  summary: 'Whether the stores answer',
} as const

const LiveCheckV2 = {
  ...common,
  id: 'metrics-live-check',
  path: '/v2/live-check',
  summary: 'Whether the process answers',
} as const

/** Health of `served` stores and liveness, where the clients of both generations read it. */
export function healthOperations(served: () => readonly Reader[]): Operation[] {
  const stores = async (): Promise<{ body: Health }> => {
    // A store that cannot be read throws, which is the answer: 503 with the reason.
    for (const store of served()) await checkpointHeights(store)
    const db = { db: { status: 'up' as const } }
    return { body: { status: 'ok', info: db, error: {}, details: db } }
  }
  const process = async (): Promise<{ body: Health }> => ({
    body: { status: 'ok', info: {}, error: {}, details: {} },
  })
  return [
    operation(HealthCheck, stores),
    operation(HealthCheckV2, stores),
    operation(LiveCheck, process),
    operation(LiveCheckV2, process),
  ]
}
