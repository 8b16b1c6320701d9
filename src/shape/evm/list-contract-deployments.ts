/** Contracts that an address deployed. Source: official clients, ListContractsResponse. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { ContractMetadata } from './get-contract.ts'
import { ChainAddressPath } from './path.ts'
import { PageQuery } from './query.ts'

/** Contracts that an address deployed. */
export const ListContractDeployments = {
  id: 'listContractDeployments',
  method: 'GET',
  path: '/v1/chains/{chainId}/contracts/{address}/deployments',
  summary: 'Contracts created by transactions of an address, also inside, newest first',
  tag: 'EVM contracts',
  weight: 20,
  parameters: { path: ChainAddressPath, query: PageQuery },
  response: Type.Object({ nextPageToken, contracts: Type.Array(ContractMetadata) }),
} as const
