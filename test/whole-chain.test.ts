/** The page that reckons whole chains shows what its program prints, and the program adds up. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const root = new URL('../', import.meta.url)

/** Figures of a row of the printed table, of the C-Chain and of a hundred L1s. */
function rowOf(printed: string, name: string): number[] {
  const line = printed.split('\n').find((each) => each.startsWith(`| ${name} `))
  assert.ok(line !== undefined, name)
  return line
    .split('|')
    .slice(2, 4)
    .map((text) => Number(text.replaceAll(',', '')))
}

void test('whole chains: the page has the table that its program prints', async () => {
  const program = new URL('bench/whole-chain.ts', root).pathname
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' }).trim()
  const page = await readFile(new URL('docs/guide/whole-chains.md', root), 'utf8')
  assert.ok(page.includes(printed), 'node bench/whole-chain.ts, into docs/guide/whole-chains.md')

  const [kept = 0, keptByL1s = 0] = rowOf(printed, 'kept in segments, GB')
  // By hand: headers, transactions at 114.4 bytes, transfers at 52.11, holders at 3.99.
  const cChain = 75e6 * 90 + 1.1e9 * 114.4 + 3.5e9 * 52.11 + 400e6 * 3.99
  assert.ok(Math.abs(kept - cChain / 1e9) < 1)
  const l1 = 5e6 * 90 + 10e6 * (114.4 + 52.11) + 3e6 * 3.99
  assert.ok(Math.abs(keptByL1s - l1 / 1e7) < 1)

  // 57,500 commits are at most 8^6: six tiers, and each row is written once more for each.
  const [written = 0] = rowOf(printed, 'written for segments, GB')
  assert.ok(Math.abs(written / kept - 7) < 0.02)

  // No commit changes more pages than it has changes, each in the log and in the file.
  const [tables = 0] = rowOf(printed, 'written for tables, GB')
  assert.ok(tables < (2 * 60e6 * 16_384) / 1e9)
  assert.ok(tables > (60e6 * 16_384) / 1e9)
})
