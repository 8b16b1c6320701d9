/** Where the files of a snapshot come from: a folder, or another Firn. */

import { constants, copyFileSync, existsSync } from 'node:fs'

import { Fault } from '../../core/fault.ts'
import { onDisk } from '../history/segment-file.ts'
import type { SnapshotFolder } from './snapshot-folder.ts'
import type { StoredFile, StoredSegment } from './snapshot-manifest.ts'

/**
 * Files of one snapshot. Each is written into `path`, and nothing of it is checked. Throws what the
 * place throws; `store-failed` for a file that is not there.
 */
export type SnapshotSource = {
  /** The place of a file as people know it. */
  readonly placeOf: (file: SnapshotFile) => string
  readonly take: (file: SnapshotFile, path: string) => Promise<void>
  /** True where a failure may pass, so that what is whole is kept for the next attempt. */
  readonly isRemote: boolean
}

/** A file of a snapshot: tables or a document, or a segment of a store. */
export type SnapshotFile =
  | { readonly file: StoredFile }
  | { readonly store: string; readonly segment: StoredSegment }

/** The files of a folder of snapshots. */
export function folderSource(folder: SnapshotFolder): SnapshotSource {
  const placeOf = (wanted: SnapshotFile): string =>
    'file' in wanted
      ? folder.filePath(wanted.file)
      : folder.segmentPath(wanted.store, wanted.segment)
  return {
    placeOf,
    isRemote: false,
    take: async (wanted, path) => {
      const from = placeOf(wanted)
      if (!existsSync(from))
        throw new Fault('store-failed', `file of a snapshot is missing: ${from}`)
      onDisk(() => copyFileSync(from, path, constants.COPYFILE_FICLONE))
    },
  }
}
