/** L1 validations. */

import { to0x } from '../../../core/bytes.ts'
import { toCb58, toNodeId } from '../../../core/cb58.ts'
import { L1Validators } from '../../../shape/operations/l1-validators.ts'
import type { L1Validator } from '../../../shape/primary/validator.ts'
import { numberOfNode } from '../../../store/query/primary/addresses.ts'
import {
  accruedFees,
  listL1Validators as l1Rows,
  type StoredL1Validator,
} from '../../../store/query/primary/l1-validators.ts'
import { type Operation } from '../../operation/operation.ts'
import { idIn, nodeIdIn } from '../inputs.ts'
import { networkOperation } from '../network-operation.ts'
import type { ServedNetwork, PrimaryContext } from '../network/networks.ts'
import { wideInteger, ownerAddresses } from '../views/values.ts'

/** Validators of L1s with their balances, newest first. */
export function listL1Validators(context: PrimaryContext): Operation<'listL1Validators'> {
  return networkOperation(context, L1Validators.listL1Validators, async (network, input) => {
    const { store } = network
    const { l1ValidationId, nodeId, subnetId, includeInactiveL1Validators } = input.query
    const node = nodeId === undefined ? undefined : nodeIdIn('nodeId', nodeId)
    const filters = {
      validationId:
        l1ValidationId === undefined ? undefined : idIn('l1ValidationId', l1ValidationId),
      subnetId: subnetId === undefined ? undefined : idIn('subnetId', subnetId),
      node: node === undefined ? undefined : ((await numberOfNode(store, node)) ?? 0),
    }
    const includeInactive = includeInactiveL1Validators ?? false
    const { rows, next } = await input.page({
      rows: (after, limit) => l1Rows(store, { ...filters, includeInactive, after, limit }),
      numberOf: ({ id }) => id,
    })
    const fees = await accruedFees(store)
    return {
      ...next,
      blockHeight: String(input.indexedHeight),
      validators: rows.map((row) => l1View(network, row, fees)),
    }
  })
}

function l1View(network: ServedNetwork, row: StoredL1Validator, fees: bigint): L1Validator {
  const owner = (of: StoredL1Validator['deactivationOwner']): L1Validator['deactivationOwner'] => ({
    addresses: ownerAddresses(network.hrp, of),
    threshold: of.threshold,
  })
  return {
    validationId: toCb58(row.validationId),
    validationIdHex: to0x(row.validationId),
    nodeId: toNodeId(row.nodeId),
    subnetId: toCb58(row.subnetId),
    weight: wideInteger(row.weight),
    remainingBalance: wideInteger(row.active ? row.endAccumulatedFee - fees : 0n),
    creationTimestamp: row.startTime,
    blsCredentials: { publicKey: to0x(row.publicKey) },
    remainingBalanceOwner: owner(row.remainingBalanceOwner),
    deactivationOwner: owner(row.deactivationOwner),
  }
}
