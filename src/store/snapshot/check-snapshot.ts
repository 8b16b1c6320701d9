/** Reads every file of a snapshot and compares it with its hash. */

import { faultOf } from '../../core/fault.ts'
import { checkFile, checkSegment, type SnapshotFolder } from './snapshot-folder.ts'
import type { SnapshotManifest } from './snapshot-manifest.ts'

/** Problems of the files of a snapshot, a sentence each. Cost: every byte is read. */
export function problemsOf(folder: SnapshotFolder, manifest: SnapshotManifest): readonly string[] {
  const problems: string[] = []
  const look = (check: () => void): void => {
    try {
      check()
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      problems.push(fault.message)
    }
  }
  for (const { name, tables, segments } of manifest.stores) {
    look(() => checkFile(folder.filePath(tables), tables))
    for (const segment of segments)
      look(() => checkSegment(folder.segmentPath(name, segment), segment))
  }
  for (const file of manifest.documents) look(() => checkFile(folder.filePath(file), file))
  return problems
}
