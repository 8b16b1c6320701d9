/** The folder of profile files. Files 0640 and the folder 0750, as the original's. */

import { chmod, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes files of `directory` whole or not at all. Throws what the system says. */
export function profileFolder(
  directory: string,
): (name: string, bytes: Uint8Array) => Promise<void> {
  return async (name, bytes) => {
    await mkdir(directory, { recursive: true, mode: 0o750 })
    const path = join(directory, name)
    const beside = `${path}.new`
    const file = await open(beside, 'w', 0o640)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await chmod(beside, 0o640)
    await rename(beside, path)
  }
}
