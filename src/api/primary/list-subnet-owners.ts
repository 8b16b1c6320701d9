/**
 * Owners of the validators of a subnet within a range of time. Source: official clients,
 * PChainLookingGlass.
 */

import { toPrimaryAddress } from '../../core/address.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { PageToken, pageSize, SubnetId } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { validationsBetween } from '../../store/query/primary/l1-validators.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { indexedTo } from './chain-of.ts'
import { idIn } from './inputs.ts'
import { meantNetwork } from './meant-network.ts'
import type { PrimaryParts } from './parts.ts'

const GetValidatorsByDateRange = {
  id: 'getValidatorsByDateRange',
  method: 'GET',
  path: '/v2/subnets/{subnetId}/validators:getAddresses',
  summary: 'Reward owners of validations of a subnet that overlap a range of time, newest first',
  tag: 'Network metrics',
  weight: 500,
  parameters: {
    path: Type.Object({ subnetId: SubnetId }),
    query: Type.Object({
      startTimestamp: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds' })),
      endTimestamp: Type.Optional(Type.Integer({ minimum: 0, description: 'Unix seconds' })),
      network: Type.Optional(
        Type.Enum(['mainnet', 'fuji', 'testnet'], {
          description: 'default: mainnet where it is served, else the other',
        }),
      ),
      pageToken: PageToken,
      pageSize: pageSize(1_000, 5_000),
    }),
  },
  response: pageShape({
    addresses: Type.Array(
      Type.Object({
        addresses: Type.Array(Type.String(), { description: 'owners of the rewards, bech32' }),
        sortKey: Type.String({ description: 'time of the staking transaction, Unix seconds' }),
      }),
    ),
  }),
} as const

const defaultOwners = 1_000

/** Reward owners of validations; those of permissioned validators have none and an empty list. */
export function listSubnetOwners(parts: PrimaryParts): Operation {
  return operation(GetValidatorsByDateRange, async ({ path, query }) => {
    const network = meantNetwork(parts.networks, query.network)
    const subnetId = idIn('subnetId', path.subnetId)
    const height = await indexedTo(network.store, 'P')
    const page = await numberedPage(parts.tokens, {
      route: GetValidatorsByDateRange.id,
      subject: { network: network.network },
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
