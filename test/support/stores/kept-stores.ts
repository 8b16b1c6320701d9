/** Stores that released versions wrote, as `scripts/keep-release.ts` keeps them. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'

/** Writes the files of the kept folder `from` into `folder`, as they were. */
export function unpacked(from: string, folder: string): string {
  for (const path of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!statSync(join(from, path)).isFile()) continue
    const to = join(folder, path.slice(0, -'.zst'.length))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, zstdDecompressSync(readFileSync(join(from, path))))
  }
  return folder
}
