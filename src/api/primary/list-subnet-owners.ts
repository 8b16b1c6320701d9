/** Who validated a subnet within a range of time. */

import { toPrimaryAddress } from '../../core/address.ts'
import { GetValidatorsByDateRange } from '../../shape/primary/list-subnet-owners.ts'
import { validationsBetween } from '../../store/query/primary/validations-between.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { idIn } from './inputs.ts'
import { numberedPage } from './list-page.ts'
import { meantNetwork } from './meant-network.ts'
import type { PrimaryParts } from './parts.ts'

const defaultOwners = 1_000

/** Reward owners of validations; those of permissioned validators have none and an empty list. */
export function listSubnetOwners(parts: PrimaryParts): Operation {
  return operation(GetValidatorsByDateRange, async ({ path, query }) => {
    const network = meantNetwork(parts.networks, query.network)
    const subnetId = idIn('subnetId', path.subnetId)
    const height = await indexedTo(network.store, 'P')
    const page = await numberedPage(parts, network, {
      route: GetValidatorsByDateRange.id,
      query: { ...query, ...path },
      limit: query.pageSize ?? defaultOwners,
      rows: (before, limit) =>
        validationsBetween(network.store, {
          subnetId,
          start: query.startTimestamp ?? -1,
          end: query.endTimestamp ?? Number.MAX_SAFE_INTEGER,
          before,
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const addresses = page.rows.map(({ validationOwner, createdTime }) => ({
      addresses: (validationOwner?.addresses ?? []).map((one) =>
        toPrimaryAddress(network.hrp, one),
      ),
      sortKey: String(createdTime),
    }))
    return { body: { ...nextToken(page), addresses }, ...height }
  })
}
