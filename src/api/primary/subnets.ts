/** Document A, operation 8: subnets, their chains, and owners of their validators. */

import { primarySubnetId } from '../../codec/primary/ids.ts'
import { toPrimaryAddress } from '../../core/address.ts'
import { clip, equalBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { pageShape } from '../../shape/page-shape.ts'
import {
  NetworkPath,
  PageToken,
  pageSize,
  SortOrder,
  SubnetId,
  ChainPath,
} from '../../shape/primary/parameters.ts'
import { Subnet, Blockchain } from '../../shape/primary/subnet.ts'
import { Type } from '../../shape/type.ts'
import { validationsBetween } from '../../store/query/primary/l1-validators.ts'
import {
  listSubnets as subnetRows,
  subnetById,
  listBlockchains as chainRows,
  chainsById,
} from '../../store/query/primary/network.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { indexedTo, idIn, namedChain } from './inputs.ts'
import { defaultWidePageSize, weighedPage } from './lists.ts'
import { type PrimaryContext, meantNetwork } from './network/networks.ts'
import {
  chainScales,
  subnetView,
  type SubnetWithChains,
  withChains,
  primarySubnetView,
  chainView,
  pChainView,
} from './views/subnet.ts'

const ListSubnets = {
  id: 'listSubnets',
  path: '/v1/networks/{network}/subnets',
  summary: 'Subnets with their chains, without the primary network, which is no subnet of its own',
  tag: 'Primary Network',
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(100, 10_000),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({ subnets: Type.Array(Subnet) }),
} as const

/** Subnets with their chains, newest first. A page ends early when their geneses are large. */
export function listSubnets(context: PrimaryContext): Operation {
  return operation(ListSubnets, async ({ path, query }) => {
    const network = context.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await weighedPage<SubnetWithChains>(context.tokens, {
      ...chainScales,
      weightOf: ({ chains }) => chains.map(chainScales.weightOf).reduce((a, b) => a + b, 0),
      route: ListSubnets.id,
      subject: { network: network.network },
      query,
      usualSize: defaultWidePageSize,
      rows: async (after, limit) => {
        const page = { order: query.sortOrder ?? 'desc', after, limit } as const
        return withChains(network, await subnetRows(network.store, page))
      },
      numberOf: ({ subnet }) => subnet.pos,
    })
    const subnets = page.rows.map((row) => subnetView(network, row))
    return { body: { ...nextToken(page), subnets }, ...height }
  })
}

const GetSubnet = {
  id: 'getSubnetById',
  path: '/v1/networks/{network}/subnets/{subnetId}',
  summary: 'One subnet with its chains',
  tag: 'Primary Network',
  parameters: {
    path: Type.Object({ ...NetworkPath.properties, subnetId: SubnetId }),
    query: Type.Object({}),
  },
  response: Subnet,
} as const

/** The subnet with an id, the primary network included. */
export function getSubnet(context: PrimaryContext): Operation {
  return operation(GetSubnet, async ({ path }) => {
    const network = context.networks.find(path.network)
    const subnetId = idIn('subnetId', path.subnetId)
    const height = await indexedTo(network.store, 'P')
    if (equalBytes(subnetId, primarySubnetId))
      return { body: await primarySubnetView(network), ...height }
    const row = await subnetById(network.store, subnetId)
    const [found] = row === undefined ? [] : await withChains(network, [row])
    if (found === undefined)
      throw new Fault('not-found', `subnet is not known: ${clip(path.subnetId)}`)
    return { body: subnetView(network, found), ...height }
  })
}

const ListBlockchains = {
  id: 'listBlockchains',
  path: '/v1/networks/{network}/blockchains',
  summary: 'Chains of all subnets',
  tag: 'Primary Network',
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(100, 10_000),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({ blockchains: Type.Array(Blockchain) }),
} as const

/** Chains made by transactions or genesis, newest first. A page ends early as that of subnets. */
export function listBlockchains(context: PrimaryContext): Operation {
  return operation(ListBlockchains, async ({ path, query }) => {
    const network = context.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await weighedPage(context.tokens, {
      ...chainScales,
      route: ListBlockchains.id,
      subject: { network: network.network },
      query,
      usualSize: defaultWidePageSize,
      rows: (after, limit) =>
        chainRows(network.store, { order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ pos }) => pos,
    })
    return { body: { ...nextToken(page), blockchains: page.rows.map(chainView) }, ...height }
  })
}

const GetBlockchain = {
  id: 'getBlockchainById',
  path: '/v1/networks/{network}/blockchains/{blockchainId}',
  summary: 'One chain',
  tag: 'Primary Network',
  parameters: { path: ChainPath, query: Type.Object({}) },
  response: Blockchain,
} as const

/** The chain with an id or alias. */
export function getBlockchain(context: PrimaryContext): Operation {
  return operation(GetBlockchain, async ({ path }) => {
    const { chain: own, text, ...network } = namedChain(context.networks, path)
    const id = own === undefined ? idIn('blockchainId', text) : network.chainIds[own]
    const height = await indexedTo(network.store, 'P')
    if (equalBytes(id, network.chainIds.P)) return { body: pChainView(network), ...height }
    const [chain] = (await chainsById(network.store, [id])).values()
    if (chain === undefined)
      throw new Fault('not-found', `blockchain is not known: ${clip(path.blockchainId)}`)
    return { body: chainView(chain), ...height }
  })
}

const GetValidatorsByDateRange = {
  id: 'getValidatorsByDateRange',
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
export function listSubnetOwners(context: PrimaryContext): Operation {
  return operation(GetValidatorsByDateRange, async ({ path, query }) => {
    const network = meantNetwork(context.networks, query.network)
    const subnetId = idIn('subnetId', path.subnetId)
    const height = await indexedTo(network.store, 'P')
    const page = await numberedPage(context.tokens, {
      route: GetValidatorsByDateRange.id,
      subject: { network: network.network },
      query: { ...query, ...path },
      usualSize: defaultOwners,
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
