/**
 * Speed and size of EVM ingest on the embedded store, against parsing alone in the same run: blocks
 * that are not checked, and the same with every block checked.
 *
 *     node bench/evm-ingest.ts [blocks] [rich or plain] [batch rows] [folder]
 *
 * One thread parses, checks and decodes, another writes, as in the product. The chain is made up
 * first and lies in a file, so that neither network nor generator is measured. Runs take turns, and
 * the better of two of a kind counts, for others use the machine too.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { usualShape } from './evm-chain.ts'

type Numbers = Readonly<Record<string, number>>
/** Figures of one run. */
type Figures = { readonly tables: readonly string[]; readonly numbers: Numbers }

const blocks = Number(process.argv[2] ?? usualShape.blocks)
const kind = process.argv[3] ?? 'rich'
const batchRows = Number(process.argv[4] ?? goodBatchRows)
const folder = mkdtempSync(join(process.argv[5] ?? tmpdir(), 'firn-bench-'))
const path = join(folder, 'chain.ndjson')

try {
  const { transfers, parseSeconds } = JSON.parse(
    run('evm-ingest-prepare.ts', path, String(blocks), kind),
  )
  const readings = ['unchecked', 'checked'] as const
  const runs = [...readings, ...readings].map((reading) => ({ reading, ...ingest(reading) }))
  const [unchecked, checked] = readings.map((each) =>
    better(runs.filter(({ reading }) => reading === each)),
  )
  if (unchecked === undefined || checked === undefined) throw new Error('a reading is missing')
  for (const line of checked.tables) console.log(line)
  const parseMicros = (parseSeconds / transfers) * 1e6
  const { transactions } = checked.numbers
  console.log(`${blocks} blocks, ${transfers} transfers, ${transactions} transactions`)
  console.log(`parsing alone ${parseMicros.toFixed(2)} us a transfer`)
  console.log(`${''.padEnd(26)} ${readings.map((each) => each.padStart(10)).join(' ')}`)
  const all = [unchecked.numbers, checked.numbers]
  for (const name of Object.keys(checked.numbers))
    if (!name.startsWith('trans'))
      row(
        name,
        all.map((numbers) => figure(numbers, name)),
      )
  row(
    'ratioOfProcessor',
    all.map((numbers) => parseMicros / figure(numbers, 'writerMicros')),
  )
  const share = figure(checked.numbers, 'checkMicros') / figure(unchecked.numbers, 'cpuMicros')
  console.log(`checks take ${(share * 100).toFixed(1)} % of the ingest without them`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** In a process of its own, so that memory is that of one ingest alone. */
function ingest(reading: string): Figures {
  const store = mkdtempSync(join(folder, 'store-'))
  const said: Figures = JSON.parse(
    run('evm-ingest-once.ts', path, store, String(batchRows), reading),
  )
  rmSync(store, { recursive: true, force: true })
  return said
}

function run(script: string, ...args: readonly string[]): string {
  const file = join(import.meta.dirname, script)
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' })
}

function better(runs: readonly Figures[]): Figures {
  return runs.reduce((best, each) =>
    figure(each.numbers, 'cpuMicros') < figure(best.numbers, 'cpuMicros') ? each : best,
  )
}

function figure(numbers: Numbers, name: string): number {
  const value = numbers[name]
  if (value === undefined) throw new Error(`no figure ${name}`)
  return value
}

function row(name: string, values: readonly number[]): void {
  const shown = values.map((value) => value.toFixed(value < 100 ? 2 : 0).padStart(10))
  console.log(`${name.padEnd(26)} ${shown.join(' ')}`)
}
