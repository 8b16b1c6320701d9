/**
 * A backfill as people run it: `firn start` against a node on this machine, from an empty folder
 * to `live`, with every index of the API built.
 *
 *     node bench/backfill.ts [blocks] [rich or plain] [folder] [freeze]
 *
 * The node serves bytes of a file from a process of its own; it takes its share of the machine.
 * Start-up is the time to the first commit that shows, and is apart from `marginalRate`, that of the
 * last nine tenths. `writtenBytes` are those the process handed to the disk (Linux), in the first and
 * in the last tenth; `peakMiB` is the most that it had resident. Five seconds after the last block
 * the data folder is measured, and what is resident then.
 */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { type Backfill, withBackfill } from './backfill-run.ts'
import { usualShape } from './evm-chain.ts'
import { peakMib, processorSeconds, residentMib, writtenBytes } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? usualShape.blocks)
const kind = process.argv[3] === 'plain' ? 'plain' : 'rich'
const settleMs = 5_000

/** Height, milliseconds since the process was started, and bytes it has written by then. */
type Mark = { readonly height: number; readonly at: number; readonly written: number }

const freezes = process.argv[5] === 'freeze'

await withBackfill({ blocks, kind, freezes }, process.argv[4], async (run) => {
  const marks: Mark[] = []
  await run.reached(blocks - 1, (height) => {
    const at = performance.now() - run.startedAt
    if (height > (marks.at(-1)?.height ?? -1))
      marks.push({ height, at, written: writtenBytes(run.pid) })
  })
  report(figuresOf(run, marks))
  await pause(settleMs)
  report({
    'bytes a transfer': (folderBytes(run.dataDir) / run.transfers).toFixed(1),
    residentMiB: residentMib(run.pid),
  })
})

function figuresOf({ transfers, parseSeconds, pid }: Backfill, marks: readonly Mark[]): object {
  const seconds = (marks.at(-1)?.at ?? 0) / 1_000
  const rate = transfers / seconds
  const parseRate = transfers / parseSeconds
  const timeAt = (share: number): number => valueAt(marks, share, ({ at }) => at)
  const writtenAt = (share: number): number => valueAt(marks, share, ({ written }) => written)
  const marginalRate = (transfers * 0.9) / ((timeAt(1) - timeAt(0.1)) / 1_000)
  const tenth = transfers / 10
  return {
    blocks,
    transfers,
    seconds: seconds.toFixed(1),
    rate: Math.round(rate),
    startUp: ((marks[0]?.at ?? 0) / 1_000).toFixed(1),
    marginalRate: Math.round(marginalRate),
    parseRate: Math.round(parseRate),
    ratioToParse: (rate / parseRate).toFixed(3),
    'marginal to parse': (marginalRate / parseRate).toFixed(3),
    'cpuMicros a transfer': ((processorSeconds(pid) / transfers) * 1e6).toFixed(1),
    // The first has the start of the process.
    'tenth 2 to last': ((timeAt(0.2) - timeAt(0.1)) / (timeAt(1) - timeAt(0.9))).toFixed(2),
    'written, first tenth': `${Math.round(writtenAt(0.1) / tenth)} B a transfer`,
    'written, last tenth': `${Math.round((writtenAt(1) - writtenAt(0.9)) / tenth)} B a transfer`,
    peakMiB: peakMib(pid),
  }
}

/** Value of `of` when `share` of the blocks is stored, between two marks as on a line. */
function valueAt(marks: readonly Mark[], share: number, of: (mark: Mark) => number): number {
  const height = (blocks - 1) * share
  const next = marks.findIndex((mark) => mark.height >= height)
  const [a, b] = [marks[next - 1] ?? marks[0], marks[next]]
  if (a === undefined || b === undefined || a.height === b.height)
    return b === undefined ? 0 : of(b)
  return of(a) + ((of(b) - of(a)) * (height - a.height)) / (b.height - a.height)
}

function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

function report(figures: object): void {
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`)
}
