/** Cycles of the auto-renewed validators of a node. Source: official clients 0.3.14. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { AutoRenewedCycle, CurrentAutoRenewedCycle } from './auto-renew.ts'
import { NetworkPath, PageToken, pageSize, SortOrder } from './parameters.ts'

/** Cycles of the auto-renewed validators of a node. */
export const ListValidatorCycles = {
  id: 'listAutoRenewedValidatorCycles',
  method: 'GET',
  path: '/v1/networks/{network}/validators/{nodeId}/cycles',
  summary: 'Cycles of the auto-renewed validators of a node, and the one that runs',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: Type.Object({
      ...NetworkPath.properties,
      nodeId: Type.String({ description: 'Node id', maxLength: 128 }),
    }),
    query: Type.Object({
      txHash: Type.Optional(
        Type.String({
          description: 'Only the position that this AddAutoRenewedValidatorTx began, cb58 or hex',
          maxLength: 128,
        }),
      ),
      sortOrder: SortOrder,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
    }),
  },
  response: Type.Object({
    nextPageToken,
    cycles: Type.Array(AutoRenewedCycle, { description: 'cycles that are over' }),
    currentCycle: Type.Optional(CurrentAutoRenewedCycle),
  }),
} as const
