/** Validations of one node. */

import { pageShape } from '../../shape/page-shape.ts'
import { NodePath, PageToken, pageSize, SortOrder } from '../../shape/primary/parameters.ts'
import { validationStatuses, Validator } from '../../shape/primary/validator.ts'
import { Type } from '../../shape/type.ts'
import { numberOfNode } from '../../store/query/primary/addresses.ts'
import {
  totalWeights,
  listValidators as validatorRows,
  type ListedValidator,
  type ValidatorCursor,
} from '../../store/query/primary/validators.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, readPage, nextToken } from '../operation/paging.ts'
import { indexedTo } from './chain-of.ts'
import { nodeIdIn } from './inputs.ts'
import { keptFor } from './kept-answers.ts'
import { defaultPageSize } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { validatorCursor, validatorViews } from './validator-page.ts'

const ListNodeValidators = {
  id: 'getSingleValidatorDetails',
  method: 'GET',
  path: '/v1/networks/{network}/validators/{nodeId}',
  summary: 'Validations of one node',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NodePath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      validationStatus: Type.Optional(Type.Enum([...validationStatuses])),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({ validators: Type.Array(Validator) }),
} as const

const unbounded = { capacity: {}, until: {}, shares: {}, uptime: {} } as const

/** Validations of a node, newest first. A node never seen has none. */
export function listNodeValidators(parts: PrimaryParts): Operation {
  const weightsOf = keptFor(parts.clock, totalWeights)
  return operation(ListNodeValidators, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const node = await numberOfNode(network.store, nodeIdIn('nodeId', path.nodeId))
    const page = await readPage<ListedValidator, ValidatorCursor>({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListNodeValidators.id, { ...query, ...path, network: network.network }),
      limit: query.pageSize ?? defaultPageSize,
      ...validatorCursor,
      rows: (after, limit) =>
        validatorRows(network.store, {
          ...unbounded,
          statuses:
            query.validationStatus === undefined ? validationStatuses : [query.validationStatus],
          sortBy: 'blockIndex',
          order: query.sortOrder ?? 'desc',
          nodes: node === undefined ? [] : [node],
          limit,
          after,
        }),
      cursorOf: ({ cursor }) => cursor,
    })
    const validators = await validatorViews(network, weightsOf, page.rows)
    return { body: { ...nextToken(page), validators }, ...height }
  })
}
