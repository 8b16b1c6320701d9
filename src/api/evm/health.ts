/** Whether the service is up. */

import {
  type Health,
  HealthCheck,
  HealthCheckV2,
  LiveCheck,
  LiveCheckV2,
} from '../../shape/evm/health.ts'
import { indexedHeight } from '../../store/query/evm/indexed-height.ts'
import { operation, type Operation } from '../operation.ts'
import type { EvmParts } from './parts.ts'

/** Health and liveness, where the clients of both generations ask. */
export function healthOperations({ chains }: EvmParts): Operation[] {
  const stores = async (): Promise<{ body: Health }> => {
    // A store that cannot be read throws, which is the answer: 503 with the reason.
    for (const { store } of chains.all()) await indexedHeight(store, 'blocks')
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
