/**
 * A backfill that one, two and three threads read: `index.workers`, on one machine.
 *
 *     node bench/parallel.ts [blocks] [rich or plain] [rounds]
 *
 * The node serves bytes of a file from a process of its own and takes its share of the machine; history
 * freezes. Figures are those from the first commit that shows to the last, of each the best of the rounds,
 * in which the numbers of threads take turns: neighbours on the machine only add. `µs` is processor time a transfer: of all of the process, of
 * the threads that read (the decoder among them), and of the writer, by the kernel's count (Linux).
 * `peak` is the most memory that was resident.
 */

import { type Backfill, withBackfill } from './backfill-run.ts'
import { peakMib, processorSeconds, threadSeconds } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? 6_000)
const kind = process.argv[3] === 'plain' ? 'plain' : 'rich'
const rounds = Number(process.argv[4] ?? 3)

/** Figures of one run. */
type Figures = {
  readonly blocksPerSecond: number
  readonly seconds: number
  readonly all: number
  readonly readers: number
  readonly writer: number
  readonly peak: number
}

const counts = [1, 2, 3] as const
const runs: { readonly workers: number; readonly figures: Figures }[] = []
for (let round = 0; round < rounds; round++)
  for (const workers of counts)
    await withBackfill({ blocks, kind, freezes: true, workers }, undefined, async (run) => {
      runs.push({ workers, figures: await measured(run) })
    })

console.log(`${blocks} blocks, ${kind}, ${rounds} rounds`)
console.log('threads  blocks/s  ratio  seconds  µs, all  ratio  µs, readers  µs, writer  peak MiB')
const best = (workers: number, name: keyof Figures): number => {
  const values = runs.flatMap((run) => (run.workers === workers ? [run.figures[name]] : []))
  return name === 'blocksPerSecond' ? Math.max(...values) : Math.min(...values)
}
for (const workers of counts) {
  const of = (name: keyof Figures): number => best(workers, name)
  console.log(
    [
      String(workers).padStart(7),
      of('blocksPerSecond').toFixed(0).padStart(8),
      (of('blocksPerSecond') / best(1, 'blocksPerSecond')).toFixed(2).padStart(5),
      of('seconds').toFixed(1).padStart(7),
      of('all').toFixed(1).padStart(7),
      (of('all') / best(1, 'all')).toFixed(2).padStart(5),
      of('readers').toFixed(1).padStart(11),
      of('writer').toFixed(1).padStart(10),
      of('peak').toFixed(0).padStart(8),
    ].join('  '),
  )
}

async function measured(run: Backfill): Promise<Figures> {
  const { pid, transfers } = run
  const now = (height: number): Begun => ({
    height,
    at: performance.now(),
    all: processorSeconds(pid),
    threads: threadSeconds(pid),
  })
  let begun: Begun | undefined
  // The start of the process is not the backfill.
  await run.reached(blocks - 1, (height) => {
    if (height >= 0) begun ??= now(height)
  })
  const end = now(blocks - 1)
  const first = begun ?? end
  const count = blocks - 1 - first.height
  const micros = (seconds: number): number => (seconds / ((transfers * count) / blocks)) * 1e6
  const ofThreads = (isOne: (name: string) => boolean): number =>
    [...end.threads]
      .filter(([thread]) => isOne(thread.replace(/^\d+ /, '')))
      .reduce((sum, [thread, spent]) => sum + spent - (first.threads.get(thread) ?? 0), 0)
  const seconds = (end.at - first.at) / 1_000
  return {
    blocksPerSecond: count / seconds,
    seconds,
    all: micros(end.all - first.all),
    readers: micros(ofThreads((name) => name === 'decoder' || name.startsWith('range-reader'))),
    writer: micros(ofThreads((name) => name === 'writer')),
    peak: peakMib(pid),
  }
}

/** A moment of a run. */
type Begun = {
  readonly height: number
  readonly at: number
  readonly all: number
  readonly threads: ReadonlyMap<string, number>
}
