/** Document A, operation 8: subnets, their chains, and owners of their validators. */

import { primarySubnetId } from '../../codec/primary/ids.ts'
import { clip, equalBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { PrimaryNetwork } from '../../shape/operations/primary-network.ts'
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
import { networkOperation } from './network-operation.ts'
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
import { ownerAddresses } from './views/values.ts'

/** Subnets with their chains, newest first. A page ends early when their geneses are large. */
export function listSubnets(context: PrimaryContext): Operation<'listSubnets'> {
  return networkOperation(context, PrimaryNetwork.listSubnets, async (network, { query }) => {
    const page = await weighedPage<SubnetWithChains>(context.tokens, {
      ...chainScales,
      weightOf: ({ chains }) => chains.map(chainScales.weightOf).reduce((a, b) => a + b, 0),
      route: PrimaryNetwork.listSubnets.id,
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
    return { ...nextToken(page), subnets }
  })
}

/** The subnet with an id, the primary network included. */
export function getSubnet(context: PrimaryContext): Operation<'getSubnetById'> {
  return networkOperation(context, PrimaryNetwork.getSubnetById, async (network, { path }) => {
    const subnetId = idIn('subnetId', path.subnetId)
    if (equalBytes(subnetId, primarySubnetId)) return primarySubnetView(network)
    const row = await subnetById(network.store, subnetId)
    const [found] = row === undefined ? [] : await withChains(network, [row])
    if (found === undefined)
      throw new Fault('not-found', `subnet is not known: ${clip(path.subnetId)}`)
    return subnetView(network, found)
  })
}

/** Chains made by transactions or genesis, newest first. A page ends early as that of subnets. */
export function listBlockchains(context: PrimaryContext): Operation<'listBlockchains'> {
  return networkOperation(context, PrimaryNetwork.listBlockchains, async (network, { query }) => {
    const page = await weighedPage(context.tokens, {
      ...chainScales,
      route: PrimaryNetwork.listBlockchains.id,
      subject: { network: network.network },
      query,
      usualSize: defaultWidePageSize,
      rows: (after, limit) =>
        chainRows(network.store, { order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ pos }) => pos,
    })
    return { ...nextToken(page), blockchains: page.rows.map(chainView) }
  })
}

/** The chain with an id or alias. */
export function getBlockchain(context: PrimaryContext): Operation<'getBlockchainById'> {
  return operation(PrimaryNetwork.getBlockchainById, async ({ path }) => {
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

const defaultOwners = 1_000

/** Reward owners of validations; those of permissioned validators have none and an empty list. */
export function listSubnetOwners(context: PrimaryContext): Operation<'getValidatorsByDateRange'> {
  return operation(PrimaryNetwork.getValidatorsByDateRange, async ({ path, query }) => {
    const network = meantNetwork(context.networks, query.network)
    const subnetId = idIn('subnetId', path.subnetId)
    const height = await indexedTo(network.store, 'P')
    const page = await numberedPage(context.tokens, {
      route: PrimaryNetwork.getValidatorsByDateRange.id,
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
      addresses: ownerAddresses(network.hrp, validationOwner),
      sortKey: String(createdTime),
    }))
    return { body: { ...nextToken(page), addresses }, ...height }
  })
}
