/** Exports of transactions to a file. Source: official clients, Operations. */

import { randomUUID } from 'node:crypto'

import { Fault } from '../../core/fault.ts'
import { ExportBody, ExportStatus, exportTypes } from '../../shape/events/export-job.ts'
import { NoPath, NoQuery } from '../../shape/evm/parameters.ts'
import { Type } from '../../shape/type.ts'
import { addExport, exportById, type ExportJob } from '../../store/query/events/export-jobs.ts'
import { ownerOf, operation, type Operation } from '../operation/operation.ts'
import { type ExportContext, planOf } from './export-plan.ts'

const PostTransactionExportJob = {
  id: 'postTransactionExportJob',
  method: 'POST',
  path: '/v1/operations/transactions:export',
  summary: 'Make a CSV file of the transactions of addresses',
  tag: 'Operations',
  weight: 20,
  status: 201,
  parameters: { path: NoPath, query: NoQuery, body: ExportBody },
  response: ExportStatus,
} as const

const GetOperationResult = {
  id: 'getOperationResult',
  method: 'GET',
  path: '/v1/operations/{operationId}',
  summary: 'An export: where its file is',
  tag: 'Operations',
  weight: 10,
  parameters: {
    path: Type.Object({ operationId: Type.String({ maxLength: 64, description: 'UUID' }) }),
    query: NoQuery,
  },
  response: ExportStatus,
} as const

const keptSeconds = 7 * 86_400
/** Exports kept for each key; the oldest goes first. */
const mostPerOwner = 100

/**
 * Keeps the request and answers at once: the file is read from the store while it is fetched,
 * so nothing runs in between that a restart could lose.
 */
export function exportTransactions(context: ExportContext): Operation {
  return operation(PostTransactionExportJob, async ({ body, caller }) => {
    const owner = ownerOf(caller)
    planOf(context, body)
    const created = Math.floor(context.clock.now() / 1_000)
    const job = { id: randomUUID(), owner, created, request: JSON.stringify(body) }
    const limits = { keepFrom: created - keptSeconds, most: mostPerOwner }
    await addExport(await context.store(), job, limits)
    return { body: statusOf(job, caller.origin) }
  })
}

/** An export of the caller's own. Throws `not-found`. */
export function getExport(context: ExportContext): Operation {
  return operation(GetOperationResult, async ({ path, caller }) => {
    const owner = ownerOf(caller)
    const job = await liveExport(context, path.operationId)
    if (job === undefined || job.owner !== owner)
      throw new Fault('not-found', `no such operation: ${path.operationId}`)
    return { body: statusOf(job, caller.origin) }
  })
}

/** The export with an id, unless its time is over. */
export async function liveExport(
  context: ExportContext,
  id: string,
): Promise<ExportJob | undefined> {
  const job = await exportById(await context.store(), id)
  const oldest = context.clock.now() / 1_000 - keptSeconds
  return job === undefined || job.created < oldest ? undefined : job
}

function statusOf({ id, created, request }: ExportJob, origin: string): ExportStatus {
  const { type }: { readonly type: ExportBody['type'] } = JSON.parse(request)
  return {
    operationId: id,
    operationType: exportTypes.find((known) => known === type) ?? exportTypes[0],
    operationStatus: 'COMPLETED',
    metadata: { downloadUrl: `${origin}/v1/operations/${id}/file` },
    createdAtTimestamp: created,
    updatedAtTimestamp: created,
  }
}
