/**
 * Converts the history of the store `chain` as a start does, in a process of its own that ends by SIGKILL
 * before it writes for the time `cut`, the first of which is 0.
 *
 *     node test/convert-process.ts '<location as JSON>' <cut, or -1>
 *
 * Prints how often it wrote, once all is done.
 */

import { writeSync } from 'node:fs'

import { convertAtStart } from '../src/indexing/evm/convert-at-start.ts'
import type { Database, Writer } from '../src/store/engine/database.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { systemClock } from './system-clock.ts'

const [location, cut] = process.argv.slice(2)
let writes = 0

function count(): void {
  if (writes++ === Number(cut)) process.kill(process.pid, 'SIGKILL')
}

function counted(writer: Writer): Writer {
  const before =
    <A extends unknown[], R>(work: (...rest: A) => R) =>
    (...rest: A): R => {
      count()
      return work(...rest)
    }
  return {
    ...writer,
    run: before(writer.run),
    insert: before(writer.insert),
    insertNew: before(writer.insertNew),
    upsert: before(writer.upsert),
    update: before(writer.update),
    remove: before(writer.remove),
    clear: before(writer.clear),
  }
}

const conversion = convertAtStart({
  key: 'chain',
  store: {
    ...JSON.parse(location ?? '{}'),
    around: async (open: () => Promise<Database>): Promise<Database> => {
      const database = await open()
      return {
        ...database,
        transaction: (work, how) => database.transaction((writer) => work(counted(writer)), how),
      }
    },
  },
  owner: `process ${process.pid}`,
  world: { clock: systemClock },
  log: silentLog,
})
await conversion.stream.run(new AbortController().signal)
writeSync(1, `${writes}\n`)
