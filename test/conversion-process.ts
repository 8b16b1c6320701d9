/**
 * Converts the store `chain` to a made-up later format, in a process of its own that ends by SIGKILL
 * before it asks for statement `cut`, the first of which is 0.
 *
 *     node test/conversion-process.ts '<location as JSON>' <cut, or -1>
 *
 * Prints a line per step that begins, and `done`.
 */

import { writeSync } from 'node:fs'

import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { laterMigrations } from './later-format.ts'

const [location, cut] = process.argv.slice(2)
const store = await openStore(
  {
    ...JSON.parse(location ?? '{}'),
    migrations: laterMigrations((index) => {
      if (index === Number(cut)) process.kill(process.pid, 'SIGKILL')
    }),
    converting: ({ migration, step, steps }) => writeSync(1, `${migration} ${step}/${steps}\n`),
  },
  'chain',
  chainTables,
  'write',
)
await store.close()
writeSync(1, 'done\n')
