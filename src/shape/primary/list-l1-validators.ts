/** L1 validations. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { L1Validator } from './l1-validator.ts'
import { NetworkPath, PageToken, pageSize, SubnetId } from './parameters.ts'

/** L1 validations. */
export const ListL1Validators = {
  id: 'listL1Validators',
  method: 'GET',
  path: '/v1/networks/{network}/l1Validators',
  summary: 'Validators of L1s with their balances',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      l1ValidationId: Type.Optional(
        Type.String({ description: 'Only this validation, cb58 or hex', maxLength: 128 }),
      ),
      nodeId: Type.Optional(Type.String({ description: 'Only this node', maxLength: 128 })),
      subnetId: Type.Optional(SubnetId),
      includeInactiveL1Validators: Type.Optional(
        Type.Boolean({ default: false, description: 'Those whose balance is spent too' }),
      ),
    }),
  },
  response: Type.Object({
    nextPageToken,
    blockHeight: Type.String({ description: 'P-Chain height of the balances' }),
    validators: Type.Array(L1Validator),
  }),
} as const
