/**
 * Folders of stores that are made once and copied for each test: indexing takes seconds, a copy
 * takes milliseconds, and what a test writes into its copy no other test sees.
 *
 * A test run (`scripts/test.ts`) names a folder that all of its processes share; a test file that
 * runs alone makes its own and removes it at the end.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const making = new Map<string, Promise<string>>()
let own: string | undefined

/** A new copy of the folder that `make` fills; the caller removes it. */
export async function copyOfMade(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  let made = making.get(name)
  if (made === undefined) making.set(name, (made = madeOnce(name, make)))
  const copy = mkdtempSync(join(tmpdir(), `firn-${name}-`))
  cpSync(await made, copy, { recursive: true })
  return copy
}

async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const place = join(process.env['TEST_STORES'] ?? ownFolder(), name)
  if (existsSync(place)) return place
  const draft = `${place}-${process.pid}`
  mkdirSync(draft)
  await make(draft)
  try {
    renameSync(draft, place)
  } catch (error) {
    // Another process made the same meanwhile.
    if (!existsSync(place)) throw error
    rmSync(draft, { recursive: true })
  }
  return place
}

function ownFolder(): string {
  if (own === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'firn-made-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    own = folder
  }
  return own
}
