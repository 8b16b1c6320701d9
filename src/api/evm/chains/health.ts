/** Health checks of the service. */

import { Health } from '../../../shape/operations/health.ts'
import type { Static } from '../../../shape/type.ts'
import { checkpointHeights } from '../../../store/checkpoint.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { type AllOf, operation } from '../../operation/operation.ts'

type Body = Static<(typeof Health)['live-check']['response']>

/** Health of `served` stores and liveness, where the clients of both generations read it. */
export function healthOperations(served: () => readonly Reader[]): AllOf<typeof Health> {
  const stores = async (): Promise<{ body: Body }> => {
    // A store that cannot be read throws, which is the answer: 503 with the reason.
    for (const store of served()) await checkpointHeights(store)
    const db = { db: { status: 'up' as const } }
    return { body: { status: 'ok', info: db, error: {}, details: db } }
  }
  const process = async (): Promise<{ body: Body }> => ({
    body: { status: 'ok', info: {}, error: {}, details: {} },
  })
  return {
    'data-health-check': operation(Health['data-health-check'], stores),
    'live-check': operation(Health['live-check'], process),
    'metrics-health-check': operation(Health['metrics-health-check'], stores),
    'metrics-live-check': operation(Health['metrics-live-check'], process),
  }
}
