/** One subnet. */

import { primarySubnetId } from '../../codec/primary/ids.ts'
import { clip, equalBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { NetworkPath, SubnetId } from '../../shape/primary/parameters.ts'
import { Subnet } from '../../shape/primary/subnet.ts'
import { Type } from '../../shape/type.ts'
import { subnetById } from '../../store/query/primary/subnets.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { indexedTo } from './chain-of.ts'
import { idIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { primarySubnetView, subnetView, withChains } from './subnet-view.ts'

const GetSubnet = {
  id: 'getSubnetById',
  method: 'GET',
  path: '/v1/networks/{network}/subnets/{subnetId}',
  summary: 'One subnet with its chains',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: Type.Object({ ...NetworkPath.properties, subnetId: SubnetId }),
    query: Type.Object({}),
  },
  response: Subnet,
} as const

/** The subnet with an id, the primary network included. */
export function getSubnet(parts: PrimaryParts): Operation {
  return operation(GetSubnet, async ({ path }) => {
    const network = parts.networks.find(path.network)
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
