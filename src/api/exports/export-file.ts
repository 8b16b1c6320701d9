/** The file of an export, at an address that only its maker knows. */

import { Readable } from 'node:stream'

import type { FastifyInstance } from 'fastify'

import type { ExportBody } from '../../shape/events/export-job.ts'
import type { Log } from '../../telemetry/log.ts'
import { contentTypes } from '../operation/list-format.ts'
import { errorBody } from '../operation/status.ts'
import { type ExportContext, planOf } from './export-plan.ts'
import { exportLines } from './export-rows.ts'
import { liveExport } from './export-transactions.ts'

/** Files sent at once; a reader of whole histories must not slow other callers down. */
const mostAtOnce = 4

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
