/**
 * Ingest of this checkout against another one, for instance of an older commit.
 *
 *     node bench/ingest-against.ts FOLDER [turns]
 *
 * FOLDER is the other checkout, its packages installed. Each run is a process of its own, the two
 * checkouts take turns, either first. EVM blocks are checked, and both read the same files; the P-Chain is
 * replayed with and without delegations. Processor time of the process, this checkout's divided by the
 * other's.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { printRatios } from './ratios.ts'

const [, , other = '', turns = '8'] = process.argv
const here = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))

/** Processor microseconds a row of one run in a checkout. */
type Run = (checkout: string) => number

try {
  const cases: readonly (readonly [name: string, run: Run])[] = [
    ['evm, plain', evmIngest('plain', 600)],
    ['evm, rich', evmIngest('rich', 300)],
    ['p-chain', primaryReplay('0')],
    ['p-chain, delegations', primaryReplay('5')],
  ]
  for (const [name, run] of cases) {
    const ratios: number[] = []
    for (let turn = 0; turn < Number(turns); turn++) {
      const first = turn % 2 === 0 ? run(resolve(other)) : run(here)
      const second = turn % 2 === 0 ? run(here) : run(resolve(other))
      ratios.push(turn % 2 === 0 ? second / first : first / second)
    }
    printRatios(name, ratios)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function evmIngest(kind: 'plain' | 'rich', blocks: number): Run {
  const path = join(folder, kind)
  bench(here, 'evm-ingest-prepare.ts', path, String(blocks), kind)
  return (checkout) => {
    const store = mkdtempSync(join(folder, 'store-'))
    const said: { readonly numbers: { readonly cpuMicros: number } } = JSON.parse(
      bench(checkout, 'evm-ingest-once.ts', path, store, String(goodBatchRows), 'checked'),
    )
    rmSync(store, { recursive: true, force: true })
    return said.numbers.cpuMicros
  }
}

function primaryReplay(delegations: string): Run {
  return (checkout) => {
    const said = bench(checkout, 'primary-replay.ts', '100000', delegations, folder)
    return Number(/the process ([\d.]+) us/.exec(said)?.[1])
  }
}

function bench(checkout: string, script: string, ...args: readonly string[]): string {
  const file = join(checkout, 'bench', script)
  return execFileSync(process.execPath, [file, ...args], { cwd: checkout, encoding: 'utf8' })
}
