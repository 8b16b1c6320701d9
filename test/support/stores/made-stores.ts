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

import { oneAtATime } from '../processes/one-at-a-time.ts'

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
  const place = join(madeFolder(), name)
  await oneAtATime(`${place}.lock`, async () => {
    if (existsSync(place)) return
    const draft = `${place}-${process.pid}`
    mkdirSync(draft)
    await make(draft)
    renameSync(draft, place)
  })
  return place
}

/** Where what is made lies: in the folder that the processes of a run share, or one of our own. */
export function madeFolder(): string {
  return process.env['TEST_STORES'] ?? ownFolder()
}

function ownFolder(): string {
  if (own === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'firn-made-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    own = folder
  }
  return own
}
