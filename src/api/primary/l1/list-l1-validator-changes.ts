/** Changes of an L1 validation: its weight, and its balance with what was paid in and out. */

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { toCb58 } from '../../../core/cb58.ts'
import { Fault } from '../../../core/fault.ts'
import { L1Validators } from '../../../shape/operations/l1-validators.ts'
import {
  changesOfValidation,
  numberOfValidation,
  type StoredOwnChange,
} from '../../../store/query/primary/l1-validators.ts'
import { type Operation } from '../../operation/operation.ts'
import { cursorOf, nextToken, readPage } from '../../operation/paging.ts'
import { idIn } from '../inputs.ts'
import { networkOperation } from '../network-operation.ts'
import type { PrimaryContext } from '../network/networks.ts'
import { wideInteger } from '../views/values.ts'

const place = cursorOf<Pick<StoredOwnChange, 'height' | 'pos'>>(struct({ height: f64, pos: f64 }))

/** The changes, newest first. Throws `not-found` for a validation that the network does not have. */
export function listL1ValidatorChanges(
  context: PrimaryContext,
): Operation<'listL1ValidatorChanges'> {
  return networkOperation(context, L1Validators.listL1ValidatorChanges, async (served, input) => {
    const { store, network } = served
    const { path, query } = input
    const number = await numberOfValidation(store, idIn('l1ValidationId', path.l1ValidationId))
    if (number === undefined)
      throw new Fault('not-found', `validation is not known here: ${path.l1ValidationId}`)
    const page = await readPage(context.tokens, {
      route: L1Validators.listL1ValidatorChanges.id,
      subject: { network, validation: number },
      query,
      ...place,
      rows: (before, limit) => changesOfValidation(store, { number, before, limit }),
      cursorOf: ({ height: at, pos }) => ({ height: at, pos }),
    })
    return {
      ...nextToken(page),
      changes: page.rows.map((row) => ({
        timestamp: row.time,
        blockHeight: String(row.height),
        txHash: row.txId && toCb58(row.txId),
        weight: wideInteger(row.weight),
        remainingBalance: String(row.remainingBalance),
        balanceAdded: String(row.balanceChange > 0n ? row.balanceChange : 0n),
        balanceReturned: String(row.balanceChange < 0n ? -row.balanceChange : 0n),
        isActive: row.active,
      })),
    }
  })
}
