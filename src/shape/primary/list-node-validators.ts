/** Validations of one node. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { NetworkPath, PageToken, pageSize, SortOrder } from './parameters.ts'
import { validationStatuses, Validator } from './validator.ts'

/** Validations of one node. */
export const ListNodeValidators = {
  id: 'getSingleValidatorDetails',
  method: 'GET',
  path: '/v1/networks/{network}/validators/{nodeId}',
  summary: 'Validations of one node',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: Type.Object({
      ...NetworkPath.properties,
      nodeId: Type.String({ description: 'Node id', maxLength: 128 }),
    }),
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      validationStatus: Type.Optional(Type.Enum([...validationStatuses])),
      sortOrder: SortOrder,
    }),
  },
  response: Type.Object({
    nextPageToken,
    validators: Type.Array(Validator),
  }),
} as const
