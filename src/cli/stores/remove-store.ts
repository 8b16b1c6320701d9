/** Takes the files of an embedded store away. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes the file of store `key` and its log. Nobody may have it open. */
export function removeStore(dataDir: string, key: string): void {
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(join(dataDir, `${key}.sqlite${suffix}`), { force: true })
}
