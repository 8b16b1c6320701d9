/** A segment that another process of the deployment is asked to make, as bytes. */

import { toldBytes, toldValue } from '../tokens/told-bytes.ts'
import type { SegmentJob } from './make-segment.ts'

/** Path that makes segments. */
export const segmentsPath = '/v1/segments'

/** Header of the answer: segments that whoever answers makes at once. */
export const windowHeader = 'firn-window'

/** Longest job that is sent, and longest segment that is taken. */
export const mostJobBytes = 268_435_456

/** A job without the file, which is the affair of whoever does it. */
export type ToldJob = Omit<SegmentJob, 'draft'>

/** Bytes of a job. */
export function jobBytes({ numbered, gathered, subject }: ToldJob): Uint8Array {
  return toldBytes({ numbered, gathered, subject })
}

/** The job that `bytes` tell. Throws `node-answer` for bytes that were changed or are of another version. */
export function jobOf(bytes: Uint8Array): ToldJob {
  const { numbered, gathered, subject } = toldValue(bytes, 'a segment to make')
  const job: unknown = { numbered, gathered, subject }
  // Whole, and of our own version: of the form that `jobBytes` was given.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return job as ToldJob
}
