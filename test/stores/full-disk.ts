/**
 * Fills a store until the limit on file sizes stops it, then goes on with what fits.
 *
 * Run by `failures.test.ts` under `ulimit -f`; prints what happened as JSON.
 */

import { Fault } from '../../src/core/fault.ts'
import { statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { table } from '../../src/store/schema/table.ts'

const rows = table('rows', { id: 'integer', raw: 'bytes' }, { key: ['id'], layout: 'rows' })
const count = statement('select count(*) from rows')

const database = await openStore(
  { store: 'embedded', dataDir: process.argv[2] ?? '' },
  'full',
  [rows],
  'write',
)
const insert = (id: number, size: number) =>
  database.transaction((writer) => writer.insert(rows, { id: [id], raw: [new Uint8Array(size)] }))

let committed = 0
let code = 'none'
while (code === 'none' && committed < 100) {
  try {
    await insert(committed, 200_000)
    committed++
  } catch (error) {
    code = error instanceof Fault ? error.code : String(error)
  }
}
const sameAsBefore = (await database.get(count))?.[0] === committed
await insert(1_000, 10)
const wentOn = (await database.get(count))?.[0] === committed + 1
process.stdout.write(JSON.stringify({ code, sameAsBefore, wentOn }))
await database.close()
