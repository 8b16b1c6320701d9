/** One interchain message. */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { GetIcmMessage } from '../../shape/icm/list-messages.ts'
import { getMessage } from '../../store/query/icm/messages.ts'
import { operation, type Operation } from '../operation.ts'
import { messageView } from './message-view.ts'
import type { IcmParts } from './parts.ts'

/** Neighbour of document B. */
export function getIcmMessage(parts: IcmParts): Operation {
  return operation(GetIcmMessage, async ({ path }) => {
    const store = parts.messages()
    const row = store === undefined ? undefined : await getMessage(store, fromHex(path.messageId))
    if (row === undefined) throw new Fault('not-found', `no such message: ${path.messageId}`)
    return { body: await messageView(parts, row) }
  })
}
