/** Exports of transactions. Source: official clients, Operations. */

import { addressExample } from '../evm/scalars.ts'
import { Type, type Static, Optional } from '../type.ts'

const date = Optional.String('YYYY-MM-DD, UTC', {
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  allowed: 'a date: YYYY-MM-DD',
  examples: ['2026-11-01'],
})

/** First and last day, both whole; `startDate` and `endDate` are their older names. */
const dates = { firstDate: date, lastDate: date, startDate: date, endDate: date }

const name = Type.String({ maxLength: 512 })

/** Kinds of exports. */
export const exportTypes = [
  'TRANSACTION_EXPORT_EVM',
  'TRANSACTION_EXPORT_PRIMARY_NETWORK',
  'TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING',
  'TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE',
] as const

/** The transactions to export. */
export const ExportBody = Type.Object({
  type: Type.Enum(exportTypes),
  ...dates,
  options: Type.Object(
    {
      addresses: Optional.Array(name, { maxItems: 100, description: 'Addresses' }),
      cChainEvmAddresses: Optional.Array(name, {
        maxItems: 100,
        description: 'EVM addresses, for the C-Chain',
        examples: [[addressExample]],
      }),
      includeChains: Type.Array(name, {
        minItems: 1,
        maxItems: 100,
        description: 'EVM chain ids; or p-chain, x-chain, c-chain or their ids',
      }),
    },
    'What is exported',
  ),
})
/** Decoded {@link ExportBody}. */
export type ExportBody = Static<typeof ExportBody>

/** State of an export. */
export const ExportStatus = Type.Object(
  {
    operationId: Type.String('UUID', { examples: ['3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11'] }),
    operationType: Type.Enum(exportTypes, 'Kind of the export'),
    operationStatus: Type.Enum(['COMPLETED'], 'State of the export'),
    metadata: Type.Object(
      {
        downloadUrl: Type.String('CSV; valid for seven days', {
          examples: [
            'http://127.0.0.1:8080/v1/operations/3f1c7a52-7a0e-4c1d-9d4e-6f1f3f0c9a11/file',
          ],
        }),
      },
      'What it is about',
    ),
    createdAtTimestamp: Type.Integer('Unix seconds', { examples: [1795372747] }),
    updatedAtTimestamp: Type.Integer('Unix seconds', { examples: [1795372747] }),
  },
  { $id: 'ExportStatus', description: 'State of an export' },
)
/** Decoded {@link ExportStatus}. */
export type ExportStatus = Static<typeof ExportStatus>
