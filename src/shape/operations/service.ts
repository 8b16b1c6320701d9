/** The service itself: search, exports, use, progress. */

import { ExportBody, ExportStatus } from '../events/export-job.ts'
import { pageSize, pageToken } from '../evm/parameters.ts'
import { pageShape } from '../page-shape.ts'
import { SearchHit } from '../search-hit.ts'
import { Status } from '../status.ts'
import { Type, Optional } from '../type.ts'
import { UsageLog, UsageValue, usageFilters, usageGroups, usageIntervals } from '../usage.ts'
import { contracts, type Declarations } from './contract.ts'

/** The service itself: search, exports, use, progress. */
export const Service = contracts('Operations', {
  search: {
    path: '/v1/search',
    summary: 'Finds ids, addresses, heights, and names of chains, assets and tokens',
    tag: 'Search',
    query: {
      q: Type.String(
        'An id (cb58 or hex), hash, address (bech32 or 0x), node id, height, EVM chain id, or a name or symbol',
        {
          minLength: 1,
          maxLength: 128,
          pattern: '\\S',
          allowed: 'a text of 1 to 128 characters',
        },
      ),
      network: Optional.Enum(['mainnet', 'fuji', 'testnet'], 'Only of this network'),
    },
    response: Type.Object({
      hits: Type.Array(SearchHit, { maxItems: 50, description: 'best first, 50 at most' }),
    }),
  },
  postTransactionExportJob: {
    method: 'POST',
    path: '/v1/operations/transactions:export',
    summary: 'Make a CSV file of the transactions of addresses',
    status: 201,
    body: ExportBody,
    response: ExportStatus,
  },
  getOperationResult: {
    path: '/v1/operations/{operationId}',
    summary: 'An export: where its file is',
    weight: 10,
    pathParameters: {
      operationId: Type.String({
        maxLength: 64,
        description: 'UUID',
        examples: ['3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11'],
      }),
    },
    response: ExportStatus,
  },
  getApiUsageMetrics: {
    path: '/v1/apiUsageMetrics',
    summary: 'Use of the key of the caller, by period, newest first',
    tag: 'Usage',
    weight: 200,
    query: {
      ...usageFilters,
      timeInterval: Optional.Enum(usageIntervals, {
        default: 'daily',
        description: 'Length of a period',
      }),
      groupBy: Optional.Enum(usageGroups, 'A row for each of these'),
    },
    response: Type.Object({
      aggregateDuration: Type.String('Length of a period'),
      orgId: Type.String('Organisation: whose keys they are'),
      metrics: Type.Array(
        Type.Object({
          timestamp: Type.Integer('Unix seconds; beginning of the period'),
          values: Type.Array(UsageValue, 'One for each group'),
        }),
        'One for each period',
      ),
    }),
  },
  getApiLogs: {
    path: '/v1/apiLogs',
    summary: 'The newest answers to the key of the caller, newest first',
    tag: 'Usage',
    weight: 200,
    query: { ...usageFilters, pageToken, pageSize },
    response: pageShape({
      orgId: Type.String('Organisation: whose keys they are'),
      logs: Type.Array(UsageLog),
    }),
  },
  getStatus: {
    path: '/status',
    summary: 'How far each chain and stage is indexed',
    tag: 'Service',
    weight: 1,
    lane: 'item',
    open: true,

    response: Status,
  },
} as const satisfies Declarations)
