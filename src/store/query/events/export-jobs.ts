/** Exports that callers requested. */

import { type Database, type Reader, statement } from '../../engine/database.ts'
import { exportJob } from '../../schema/events.ts'
import { integer, type RowOf, storedRow, text } from '../stored-row.ts'

/** One export. */
const jobRow = storedRow({
  id: text('id'),
  /** Id of an API key; empty where there are no keys. */
  owner: text('owner'),
  /** Unix seconds. */
  created: integer('created'),
  /** JSON text of the body that was sent. */
  request: text('request'),
})
/** Row of an export. */
export type ExportJob = RowOf<typeof jobRow>

const byId = jobRow.statement((columns) => `select ${columns} from export_job where id = ?`)
const old = statement('select id from export_job where created < ?')
const oldest = statement(
  'select id from export_job where owner = ? order by created desc, id limit -1 offset ?',
  { postgres: 'select id from export_job where owner = ? order by created desc, id offset ?' },
)

/** The export with an id; `undefined` where there is none. Cost: one look-up by key. */
export async function exportById(store: Reader, id: string): Promise<ExportJob | undefined> {
  return jobRow.first(store, byId, [id])
}

/**
 * Keeps an export; those of before `keepFrom` (Unix seconds) go, and all but the newest `most` of
 * its owner.
 */
export function addExport(
  store: Database,
  job: ExportJob,
  { keepFrom, most }: { readonly keepFrom: number; readonly most: number },
): Promise<void> {
  return store.transaction(async (writer) => {
    const { id, owner, created, request } = job
    await writer.insert(exportJob, {
      id: [id],
      owner: [owner],
      created: [created],
      request: [request],
    })
    const gone = [
      ...(await writer.all(old, [keepFrom])),
      ...(await writer.all(oldest, [owner, most])),
    ]
    const ids = new Set(gone.map(([each]) => each))
    await writer.remove(exportJob, { id: [...ids] })
  })
}
