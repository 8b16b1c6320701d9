/**
 * A backfill as people run it: `firn start` against a node on this machine, from an empty folder
 * to `live`, with every index of the API built.
 *
 *     node bench/backfill.ts [blocks] [folder]
 *
 * The node serves bytes of a file from a process of its own; it takes its share of the machine.
 * `peakMiB` is the most that the process had resident, by the kernel's count (Linux).
 */

import { readFileSync } from 'node:fs'

import { type Backfill, withBackfill } from './backfill-run.ts'
import { usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? usualShape.blocks)

/** Height and milliseconds since the process was started. */
type Mark = { readonly height: number; readonly at: number }

await withBackfill(blocks, process.argv[3], async (run) => {
  const marks: Mark[] = []
  await run.reached(blocks - 1, (height) => {
    if (height > (marks.at(-1)?.height ?? -1))
      marks.push({ height, at: performance.now() - run.startedAt })
  })
  report(figuresOf(run, marks))
})

function figuresOf({ transfers, parseSeconds, pid }: Backfill, marks: readonly Mark[]): object {
  const seconds = (marks.at(-1)?.at ?? 0) / 1_000
  const rate = transfers / seconds
  const parseRate = transfers / parseSeconds
  return {
    blocks,
    transfers,
    seconds: seconds.toFixed(1),
    rate: Math.round(rate),
    parseRate: Math.round(parseRate),
    ratioToParse: (rate / parseRate).toFixed(3),
    'cpuMicros a transfer': ((processorSeconds(pid) / transfers) * 1e6).toFixed(1),
    'tenth 2 to last': tenths(marks),
    peakMiB: peakMib(pid),
  }
}

/** Rate over the last tenth by that over the second: the first has the start of the process. */
function tenths(marks: readonly Mark[]): string {
  const timeAt = (height: number): number => {
    const next = marks.findIndex((mark) => mark.height >= height)
    const [a, b] = [marks[next - 1] ?? marks[0], marks[next]]
    if (a === undefined || b === undefined || a.height === b.height) return b?.at ?? 0
    return a.at + ((b.at - a.at) * (height - a.height)) / (b.height - a.height)
  }
  const second = timeAt(blocks * 0.2) - timeAt(blocks * 0.1)
  const last = timeAt(blocks - 1) - timeAt(blocks * 0.9)
  return (second / last).toFixed(2)
}

/** Of all threads, in user mode and in the kernel, which counts hundredths of a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

function report(figures: object): void {
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`)
}
