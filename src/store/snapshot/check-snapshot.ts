/** Reads every file of a snapshot and compares it with its hash. */

import { faultOf } from '../../core/fault.ts'
import { checkName } from '../history/segment-file.ts'
import { checkFile, type SnapshotFolder } from './snapshot-folder.ts'
import type { SnapshotManifest } from './snapshot-manifest.ts'

/** Problems of the files of a snapshot, a sentence each. Cost: every byte is read. */
export async function problemsOf(
  folder: SnapshotFolder,
  manifest: SnapshotManifest,
): Promise<readonly string[]> {
  const problems: string[] = []
  const look = async (check: () => void | Promise<void>): Promise<void> => {
    try {
      await check()
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      problems.push(fault.message)
    }
  }
  for (const { name, tables, segments } of manifest.stores) {
    await look(() => checkFile(folder.filePath(tables), tables))
    for (const segment of segments)
      await look(() => checkName(folder.segmentPath(name, segment), segment.name))
  }
  for (const file of manifest.documents) await look(() => checkFile(folder.filePath(file), file))
  return problems
}
