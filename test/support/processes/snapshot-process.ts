/**
 * Takes or restores a snapshot and ends at one of its files, as if killed:
 * `snapshot-process.ts take|restore DATA-FOLDER SNAPSHOT-FOLDER FILES`.
 */

import { chainTables } from '../../../src/store/schema/stores.ts'
import { restoreSnapshot } from '../../../src/store/snapshot/restore-snapshot.ts'
import { SnapshotFolder } from '../../../src/store/snapshot/snapshot-folder.ts'
import { takeSnapshot } from '../../../src/store/snapshot/take-snapshot.ts'

const [what = '', dataDir = '', target = '', files = ''] = process.argv.slice(2)
let left = Number(files)
const report = (): void => {
  if (left-- === 0) process.kill(process.pid, 'SIGKILL')
}
if (what === 'restore') {
  const folder = new SnapshotFolder(target)
  const { id: _newest, ...manifest } = folder.snapshot(undefined)
  await restoreSnapshot({ folder, manifest, dataDir, isTrusted: false, into: undefined, report })
} else
  await takeSnapshot({
    location: { store: 'embedded', dataDir },
    stores: [{ name: 'fuji-demo-l1', tables: chainTables }],
    documents: new Map([['aliases.json', Buffer.from('{}')]]),
    folder: SnapshotFolder.make(target),
    firn: 'test',
    takenAt: new Date(1_700_000_000_000 + Number(files) * 1_000),
    report,
  })
