/** Stores that released versions wrote, as `scripts/keep-release.ts` keeps them. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zstdDecompressSync } from 'node:zlib'

import {
  type PrintedExample,
  printedExamples,
} from '../../../src/api/server/openapi/printed-examples.ts'

/** Of each released version a folder. */
export const keptReleases = fileURLToPath(new URL('../../../vectors/stores', import.meta.url))

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

/**
 * The requests that the guides print with their answers: those that need no key and follow no other request. The
 * figures of a key are not of the stores.
 */
export function printedRequests(): PrintedExample[] {
  const printed = new URL('../../../docs/examples/', import.meta.url)
  return readdirSync(printed)
    .filter((page) => page !== 'usage.md' && page !== 'webhooks.md')
    .flatMap((page) => printedExamples(readFileSync(new URL(page, printed), 'utf8')))
    .filter(
      (one) =>
        one.method === 'GET' && !one.withKey && one.refusal === '' && !one.path.includes('$'),
    )
}
