/** Owners as answers show them. */

import { toPrimaryAddress } from '../../core/address.ts'
import type { SubnetOwnershipInfo } from '../../shape/primary/owners.ts'
import type { StoredOwner } from '../../store/schema/primary/bodies.ts'
import { seconds } from './numbers-view.ts'

/** A subnet's owner. */
export function ownershipView(hrp: string, owner: StoredOwner): SubnetOwnershipInfo {
  return {
    locktime: seconds(owner.locktime),
    threshold: owner.threshold,
    addresses: owner.addresses.map((one) => toPrimaryAddress(hrp, one)),
  }
}
