/** L1 validations. */

import { toPrimaryAddress } from '../../../core/address.ts'
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
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken, numberedPage } from '../../operation/paging.ts'
import { indexedTo, idIn, nodeIdIn } from '../inputs.ts'
import type { ServedNetwork, PrimaryContext } from '../network/networks.ts'
import { wideInteger } from '../views/values.ts'

/** Validators of L1s with their balances, newest first. */
export function listL1Validators(context: PrimaryContext): Operation<'listL1Validators'> {
  return operation(L1Validators.listL1Validators, async ({ path, query }) => {
    const network = context.networks.find(path.network)
    const { store } = network
    const height = await indexedTo(store, 'P')
    const { l1ValidationId, nodeId, subnetId } = query
    const node = nodeId === undefined ? undefined : nodeIdIn('nodeId', nodeId)
    const filters = {
      validationId:
        l1ValidationId === undefined ? undefined : idIn('l1ValidationId', l1ValidationId),
      subnetId: subnetId === undefined ? undefined : idIn('subnetId', subnetId),
      node: node === undefined ? undefined : ((await numberOfNode(store, node)) ?? 0),
    }
    const page = await numberedPage(context.tokens, {
      route: L1Validators.listL1Validators.id,
      subject: { network: network.network },
      query,
      rows: (after, limit) =>
        l1Rows(store, {
          ...filters,
          includeInactive: query.includeInactiveL1Validators ?? false,
          after,
          limit,
        }),
      numberOf: ({ id }) => id,
    })
    const fees = await accruedFees(store)
    return {
      body: {
        ...nextToken(page),
        blockHeight: String(height.indexedHeight),
        validators: page.rows.map((row) => l1View(network, row, fees)),
      },
      ...height,
    }
  })
}

function l1View(network: ServedNetwork, row: StoredL1Validator, fees: bigint): L1Validator {
  const owner = (of: StoredL1Validator['deactivationOwner']): L1Validator['deactivationOwner'] => ({
    addresses: of.addresses.map((one) => toPrimaryAddress(network.hrp, one)),
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
