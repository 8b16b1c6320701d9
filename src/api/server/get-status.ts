/** Progress of each chain and stage. */

import { Service } from '../../shape/operations/service.ts'
import type { Status } from '../../shape/status.ts'
import { operation, type Operation } from '../operation/operation.ts'

/** The status of the process that serves. */
export function getStatus(status: () => Promise<Status>): Operation<'getStatus'> {
  return operation(Service.getStatus, async () => ({ body: await status() }))
}
