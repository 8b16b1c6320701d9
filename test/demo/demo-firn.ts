/** A Firn that serves the indexed demo: one for all tests of this folder, which only read it. */

import { after } from 'node:test'

import {
  type Ending,
  indexedFolder,
  type RunningFirn,
  startFirn,
  untilAllServed,
} from '../support/processes/firn-process.ts'

let started: Promise<RunningFirn> | undefined
const endings: (() => Promise<void>)[] = []
const wholeFolder: Ending = { after: (work) => void endings.push(work) }

after(async () => {
  for (const work of endings) await work()
})

/** The Firn, started by the first who asks. It ends with the last test. */
export function demoFirn(): Promise<RunningFirn> {
  started ??= start()
  return started
}

async function start(): Promise<RunningFirn> {
  const firn = await startFirn(wholeFolder, ['--data-dir', await indexedFolder(wholeFolder)])
  await untilAllServed(firn)
  return firn
}
