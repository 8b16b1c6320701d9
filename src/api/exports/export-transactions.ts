/**
 * Exports of transactions to a file, whose address only its maker knows.
 *
 * Source: official clients, Operations.
 */

import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'

import type { FastifyInstance } from 'fastify'

import { Fault } from '../../core/fault.ts'
import { type ExportBody, type ExportStatus, exportTypes } from '../../shape/events/export-job.ts'
import { Service } from '../../shape/operations/service.ts'
import { addExport, exportById, type ExportJob } from '../../store/query/events/export-jobs.ts'
import type { Log } from '../../telemetry/log.ts'
import { contentTypes } from '../operation/list-format.ts'
import { ownerOf, operation, type Operation } from '../operation/operation.ts'
import { errorBody } from '../operation/status.ts'
import { type ExportContext, planOf } from './export-plan.ts'
import { exportLines } from './export-rows.ts'

/** Files sent at once; a reader of whole histories must not slow other callers down. */
const mostAtOnce = 4

const keptSeconds = 7 * 86_400

/** Exports kept for each key; the oldest goes first. */
const mostPerOwner = 100

/**
 * Keeps the request and answers at once: the file is read from the store while it is fetched,
 * so nothing runs in between that a restart could lose.
 */
export function exportTransactions(context: ExportContext): Operation<'postTransactionExportJob'> {
  return operation(Service.postTransactionExportJob, async ({ body, caller }) => {
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
export function getExport(context: ExportContext): Operation<'getOperationResult'> {
  return operation(Service.getOperationResult, async ({ path, caller }) => {
    const owner = ownerOf(caller)
    const job = await liveExport(context, path.operationId)
    if (job === undefined || job.owner !== owner)
      throw new Fault('not-found', `no such operation: ${path.operationId}`)
    return { body: statusOf(job, caller.origin) }
  })
}

/**
 * Adds the route of files. A caller that knows the id, which cannot be guessed, may fetch the file,
 * because links are opened without headers. A fault while it is sent ends the connection without
 * its last chunk.
 */
export function mountExportFiles(http: FastifyInstance, context: ExportContext, log: Log): void {
  let running = 0
  http.get('/v1/operations/:operationId/file', async (request, reply) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router gives text by name
    const { operationId } = request.params as { readonly operationId: string }
    const job = await liveExport(context, operationId)
    if (job === undefined)
      return reply.code(404).send(errorBody(404, 'no such file: exports are kept for seven days'))
    if (running >= mostAtOnce)
      return reply
        .code(503)
        .header('retry-after', '10')
        .send(errorBody(503, 'other exports are being sent'))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was checked before it was kept
    const plan = planOf(context, JSON.parse(job.request) as ExportBody)
    running++
    const gone = new AbortController()
    reply.raw.once('close', () => {
      running--
      gone.abort()
    })
    const lines = Readable.from(exportLines(context, plan, gone.signal))
    lines.on('error', (error) => {
      if (!gone.signal.aborted) log.warn('export ended early', { error })
    })
    return reply
      .header('content-type', contentTypes.csv)
      .header('content-disposition', `attachment; filename="transactions-${operationId}.csv"`)
      .header('cache-control', 'no-store')
      .send(lines)
  })
}

/** The export with an id, unless its time is over. */
async function liveExport(context: ExportContext, id: string): Promise<ExportJob | undefined> {
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
