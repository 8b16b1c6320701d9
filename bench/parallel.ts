/**
 * A backfill that one, two and three threads read: `index.workers`, on one machine.
 *
 *     node bench/parallel.ts [blocks] [rich or plain] [rounds]
 *
 * The node serves bytes of a file from a process of its own and takes its share of the machine; history
 * freezes. Figures are those from the first commit that shows to the last, of each the best of the rounds,
 * in which the numbers of threads take turns: neighbours on the machine only add. `µs` is processor time a
 * transfer, as the kernel counts it (Linux): of all of the process, of the reader and the maker of segments that
 * are busiest, of the writer, and of merging. `bound` is that of the busiest thread for one reader by that for so many: how much quicker the
 * backfill is where each thread has a core of its own. `writes` is the part of the time in which the
 * writer ran or waited for a core: near 1, it is the limit. `peak` is the most memory that was resident.
 */

import { type Backfill, withBackfill } from './backfill-run.ts'
import { peakMib, processorSeconds, type ThreadTime, threadTimes } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? 6_000)
const kind = process.argv[3] === 'plain' ? 'plain' : 'rich'
const rounds = Number(process.argv[4] ?? 3)

/** Figures of one run. */
type Figures = {
  readonly blocksPerSecond: number
  readonly all: number
  readonly reader: number
  readonly writer: number
  readonly maker: number
  readonly merge: number
  readonly writes: number
  readonly peak: number
}

/** A moment of a run. */
type Moment = {
  readonly height: number
  readonly at: number
  readonly all: number
  readonly threads: ReadonlyMap<string, ThreadTime>
}

const counts = [1, 2, 3] as const
const runs: { readonly workers: number; readonly figures: Figures }[] = []
for (let round = 0; round < rounds; round++)
  for (const workers of counts)
    await withBackfill({ blocks, kind, freezes: true, workers }, undefined, async (run) => {
      runs.push({ workers, figures: await measured(run) })
    })

console.log(`${blocks} blocks, ${kind}, ${rounds} rounds`)
console.log(
  'readers  blocks/s  ratio  µs, all  ratio  µs, reader  µs, writer  µs, maker  µs, merge  bound  writes  peak MiB',
)
const best = (workers: number, name: keyof Figures): number => {
  const values = runs.flatMap((run) => (run.workers === workers ? [run.figures[name]] : []))
  return name === 'blocksPerSecond' ? Math.max(...values) : Math.min(...values)
}
const busiest = (workers: number): number =>
  Math.max(...(['reader', 'writer', 'maker', 'merge'] as const).map((name) => best(workers, name)))
for (const workers of counts) {
  const of = (name: keyof Figures): number => best(workers, name)
  console.log(
    [
      String(workers).padStart(7),
      of('blocksPerSecond').toFixed(0).padStart(8),
      (of('blocksPerSecond') / best(1, 'blocksPerSecond')).toFixed(2).padStart(5),
      of('all').toFixed(1).padStart(7),
      (of('all') / best(1, 'all')).toFixed(2).padStart(5),
      of('reader').toFixed(1).padStart(10),
      of('writer').toFixed(1).padStart(10),
      of('maker').toFixed(1).padStart(9),
      of('merge').toFixed(1).padStart(9),
      (busiest(1) / busiest(workers)).toFixed(2).padStart(5),
      of('writes').toFixed(2).padStart(6),
      of('peak').toFixed(0).padStart(8),
    ].join('  '),
  )
}

async function measured(run: Backfill): Promise<Figures> {
  const { pid, transfers } = run
  const now = (height: number): Moment => ({
    height,
    at: performance.now(),
    all: processorSeconds(pid),
    threads: threadTimes(pid),
  })
  let begun: Moment | undefined
  // Each merge has a thread of its own, which ends with it.
  const seen = new Map<string, ThreadTime>()
  const look = (): void => threadTimes(pid).forEach((time, thread) => seen.set(thread, time))
  // The start of the process is not the backfill.
  await run.reached(blocks - 1, (height) => {
    look()
    if (height >= 0) begun ??= now(height)
  })
  look()
  const end = { ...now(blocks - 1), threads: seen }
  const first = begun ?? end
  const count = blocks - 1 - first.height
  const micros = (seconds: number): number => (seconds / ((transfers * count) / blocks)) * 1e6
  const since = (isOne: (name: string) => boolean): readonly ThreadTime[] =>
    [...end.threads].flatMap(([thread, { ran, waited }]) => {
      if (!isOne(thread.replace(/^\d+ /, ''))) return []
      const before = first.threads.get(thread)
      return [{ ran: ran - (before?.ran ?? 0), waited: waited - (before?.waited ?? 0) }]
    })
  const readers = since((name) => name === 'decoder' || name.startsWith('range-reader'))
  const busiest = (of: readonly ThreadTime[]): number =>
    micros(Math.max(0, ...of.map(({ ran }) => ran)))
  const makers = since((name) => name.startsWith('segment-maker'))
  const [writer = { ran: 0, waited: 0 }] = since((name) => name === 'writer')
  const seconds = (end.at - first.at) / 1_000
  return {
    blocksPerSecond: count / seconds,
    all: micros(end.all - first.all),
    reader: busiest(readers),
    writer: micros(writer.ran),
    maker: busiest(makers),
    merge: micros(since((name) => name === 'merge').reduce((sum, { ran }) => sum + ran, 0)),
    writes: (writer.ran + writer.waited) / seconds,
    peak: peakMib(pid),
  }
}
