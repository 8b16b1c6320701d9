import type { Row } from './rows.ts'

/** Takes the rows of an export; `closed` says that nobody reads any more (`| head`). */
export type RowSink = {
  /** Waits while the reader is slower. Throws `store-failed`. */
  readonly write: (row: Row) => Promise<void>
  readonly closed: () => boolean
  /** Writes what is left. */
  readonly end: () => Promise<void>
}
