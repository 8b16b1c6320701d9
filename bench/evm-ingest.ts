/**
 * Speed and size of EVM ingest on the embedded store, against parsing alone in the same run, with
 * every block checked and with none.
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

import { goodBatchRows } from '../src/indexing/evm/evm-ingest.ts'
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
  const runs = ['off', 'on', 'off', 'on'].map((checks) => ({ checks, ...ingest(checks) }))
  const { numbers: off } = better(runs.filter(({ checks }) => checks === 'off'))
  const { numbers: on, tables } = better(runs.filter(({ checks }) => checks === 'on'))
  for (const line of tables) console.log(line)
  const parseMicros = (parseSeconds / transfers) * 1e6
  console.log(`${blocks} blocks, ${transfers} transfers, ${on['transactions']} transactions`)
  console.log(`parsing alone ${parseMicros.toFixed(2)} us a transfer`)
  console.log(`${'checks'.padEnd(26)} ${'off'.padStart(10)} ${'on'.padStart(10)}`)
  for (const [name, value] of Object.entries(on))
    if (!name.startsWith('trans')) row(name, off[name] ?? 0, value)
  const ratio = ({ writerMicros }: Numbers): number => parseMicros / (writerMicros ?? 1)
  row('ratioOfProcessor', ratio(off), ratio(on))
  const share = (on['checkMicros'] ?? 0) / (off['cpuMicros'] ?? 1)
  console.log(`checks take ${(share * 100).toFixed(1)} % of the ingest without them`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** In a process of its own, so that memory is that of one ingest alone. */
function ingest(checks: string): Figures {
  const store = mkdtempSync(join(folder, 'store-'))
  const said: Figures = JSON.parse(
    run('evm-ingest-once.ts', path, store, String(batchRows), checks),
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
    (each.numbers['cpuMicros'] ?? 0) < (best.numbers['cpuMicros'] ?? 0) ? each : best,
  )
}

function row(name: string, off: number, on: number): void {
  const shown = [off, on].map((value) => value.toFixed(value < 100 ? 2 : 0).padStart(10))
  console.log(`${name.padEnd(26)} ${shown.join(' ')}`)
}
