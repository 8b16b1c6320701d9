/**
 * Makes up the chain that `evm-ingest.ts` and `backfill.ts` read, and measures what parsing it
 * alone costs. Started with the path, the number of blocks, and `plain` for one of transfers only
 * or `light` for one of small blocks.
 *
 * Prints `{"transfers":…,"parseSeconds":…}`: processor time of one thread that does nothing else.
 */

import { closeSync, openSync, writeSync } from 'node:fs'

import { ChainText, lightShape, plainShape, usualShape } from './evm-chain.ts'
import { linesOf } from './lines-of.ts'

const [path = '', blocks, kind] = process.argv.slice(2)
const shape = { plain: plainShape, light: lightShape }[kind ?? ''] ?? usualShape
const chain = new ChainText({ ...shape, blocks: Number(blocks) })
const file = openSync(path, 'w')
for (let text = chain.next(); text !== undefined; text = chain.next()) writeSync(file, `${text}\n`)
closeSync(file)

let spent = 0
for await (const line of linesOf(path)) {
  const start = process.threadCpuUsage().user
  JSON.parse(line.toString('latin1'))
  spent += process.threadCpuUsage().user - start
}
process.stdout.write(
  JSON.stringify({ transfers: chain.transfers, parseSeconds: spent / 1_000_000 }),
)
