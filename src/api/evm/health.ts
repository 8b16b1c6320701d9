/** Whether the service is up. */

import {
  type Health,
  HealthCheck,
  HealthCheckV2,
  LiveCheck,
  LiveCheckV2,
} from '../../shape/evm/health.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import { operation, type Operation } from '../operation.ts'

/** Health of `served` stores and liveness, where the clients of both generations ask. */
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
