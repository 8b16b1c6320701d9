/** One subnet. */

import { Type } from '../type.ts'
import { NetworkPath, SubnetId } from './parameters.ts'
import { Subnet } from './subnet.ts'

/** One subnet. */
export const GetSubnet = {
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
