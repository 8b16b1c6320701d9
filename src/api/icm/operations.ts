/** Document B, endpoint 9, and its neighbours. */

import type { Operation } from '../operation.ts'
import { getIcmMessage } from './get-message.ts'
import { listIcmMessages, listIcmMessagesByAddress } from './list-messages.ts'
import { icmSummary, icmTimeseries, teleporterMetrics } from './message-counts.ts'
import type { IcmParts } from './parts.ts'
import { teleporterOperations } from './teleporter.ts'

/** All of them. */
export function icmOperations(parts: IcmParts): Operation[] {
  return [
    listIcmMessagesByAddress(parts),
    listIcmMessages(parts),
    getIcmMessage(parts),
    ...teleporterOperations(parts),
    icmTimeseries(parts),
    icmSummary(parts),
    teleporterMetrics(parts),
  ]
}
