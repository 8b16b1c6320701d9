/** Whether the service is up. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { NoPath } from './path.ts'
import { NoQuery } from './query.ts'

const indicators = Type.Record(Type.String(), Type.Object({ status: Type.Enum(['up', 'down']) }))

/** State of the service and its parts. */
export const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'error', 'shutting_down'], { description: 'All in one word' }),
    info: indicators,
    error: indicators,
    details: indicators,
  },
  { $id: 'Health', additionalProperties: false },
)
/** Decoded {@link Health}. */
export type Health = Static<typeof Health>

const common = {
  method: 'GET',
  tag: 'Health',
  weight: 1,
  open: true,
  parameters: { path: NoPath, query: NoQuery },
  response: Health,
} as const

/** Whether the stores answer. */
export const HealthCheck = {
  ...common,
  id: 'data-health-check',
  path: '/v1/health-check',
  summary: 'Whether the stores answer',
} as const

/** Whether the process answers. */
export const LiveCheck = {
  ...common,
  id: 'live-check',
  path: '/v1/live-check',
  summary: 'Whether the process answers',
} as const

/** Whether the stores answer, where the metrics clients ask. */
export const HealthCheckV2 = {
  ...common,
  id: 'metrics-health-check',
  path: '/v2/health-check',
  summary: 'Whether the stores answer',
} as const

/** Whether the process answers, where the metrics clients ask. */
export const LiveCheckV2 = {
  ...common,
  id: 'metrics-live-check',
  path: '/v2/live-check',
  summary: 'Whether the process answers',
} as const
