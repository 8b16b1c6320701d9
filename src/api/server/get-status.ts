/** Progress of each chain and stage. */

import { Status } from '../../shape/status.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'

const GetStatus = {
  id: 'getStatus',
  path: '/status',
  summary: 'How far each chain and stage is indexed',
  tag: 'Service',
  weight: 1,
  open: true,
  parameters: { path: Type.Object({}), query: Type.Object({}) },
  response: Status,
} as const

/** The status of the process that serves. */
export function getStatus(status: () => Promise<Status>): Operation {
  return operation(GetStatus, async () => ({ body: await status() }))
}
