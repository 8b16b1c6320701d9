/**
 * Growth of the cost of a transfer with its chain: bytes written and kept, processor time and
 * memory of a backfill whose history stays in tables, freezes from them, and becomes segments at
 * once; ways are `tables`, `freezing`, `at-once`, and these behind `postgres-`.
 *
 *     node bench/growth.ts [transfers] [rich or plain] [checks: on or off] [folder] [ways, by commas]
 *
 * Bytes written are those that the kernel counts for the process, merges that are due and the log
 * included, so the folder must lie on a disk.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Transfers of a block of the made-up chains. */
const transfersPerBlock = { rich: 54, plain: 200 }

const transfers = Number(process.argv[2] ?? 250_000)
const kind = process.argv[3] === 'plain' ? 'plain' : 'rich'
const checks = process.argv[4] === 'on' ? 'on' : 'off'
const parent = process.argv[5] ?? tmpdir()
const ways = (process.argv[6] ?? 'tables,freezing,at-once').split(',')
const blocks = Math.ceil(transfers / transfersPerBlock[kind])

const runs = ways.map((way) => ({ way, figures: runOf(way) }))
console.log(`${kind} chain, checks ${checks}`)
console.log(`${''.padEnd(40)} ${ways.map((way) => way.padStart(10)).join(' ')}`)
for (const name of Object.keys(runs[0]?.figures ?? {})) {
  const values = runs.map(({ figures }) => figures[name] ?? 0)
  const shown = values.map((value) => value.toFixed(value < 100 ? 2 : 0).padStart(10))
  console.log(`${name.padEnd(40)} ${shown.join(' ')}`)
}

/** In a process of its own, so that what the kernel counts is that of one backfill alone. */
function runOf(way: string): Readonly<Record<string, number>> {
  const folder = mkdtempSync(join(parent, 'firn-growth-'))
  try {
    const file = join(import.meta.dirname, 'growth-once.ts')
    const args = [file, way, String(blocks), kind, checks, folder]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
