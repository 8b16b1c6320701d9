/** Health checks of the service. */

import {} from '../evm/parameters.ts'
import { Type, type Schema } from '../type.ts'
import { contracts, type Declarations } from './contract.ts'

const indicators = (description: string): Schema<Record<string, { status: 'up' | 'down' }>> =>
  Type.Record(Type.String(), Type.Object({ status: Type.Enum(['up', 'down']) }), description)

/** State of the service and its parts. */
const HealthState = Type.Component('Health', 'State of the service and its parts', {
  status: Type.Enum(['ok', 'error', 'shutting_down'], 'All in one word'),
  info: indicators('Parts that are well'),
  error: indicators('The standard word of the status, or what went wrong'),
  details: indicators('All parts'),
})

const common = {
  weight: 1,
  lane: 'vital',
  open: true,

  response: HealthState,
} as const

/** Health of the stores and the process, where the clients of both generations read it. */
export const Health = contracts('Health', {
  'data-health-check': {
    ...common,
    path: '/v1/health-check',
    summary: 'Whether the stores answer',
  },
  'metrics-health-check': {
    ...common,
    path: '/v2/health-check',
    summary: 'Whether the stores answer',
  },
  'live-check': {
    ...common,
    path: '/v1/live-check',
    summary: 'Whether the process answers',
  },
  'metrics-live-check': {
    ...common,
    path: '/v2/live-check',
    summary: 'Whether the process answers',
  },
} as const satisfies Declarations)
