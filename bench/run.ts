/**
 * Runs every bench, one after the other, and writes what they said to `bench/results.md`.
 *
 *     npm run bench
 *
 * Figures of one run on one machine belong together: compare ratios, not runs.
 */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, totalmem } from 'node:os'

const benches = [
  ['EVM ingest, checks off and on', ['bench/evm-ingest.ts', '6000', 'rich']],
  ['EVM ingest of plain transfers', ['bench/evm-ingest.ts', '1500', 'plain']],
  ['EVM backfill by a running Firn', ['bench/backfill.ts', '6000']],
  ['EVM backfill of a million plain transfers', ['bench/backfill.ts', '5000', 'plain']],
  ['EVM backfill with traces', ['bench/traces.ts']],
  ['A block at the head', ['bench/head.ts']],
  ['PostgreSQL beside SQLite', ['bench/postgres.ts']],
  ['A deployment: engines, and processes that serve', ['bench/fleet.ts', '200']],
  ['Lists while indexing', ['bench/lists-while-indexing.ts', '8000']],
  ['Lists by address over HTTP', ['bench/http-list.ts', '4000']],
  ['Threads that answer', ['bench/workers.ts']],
  ['Overload', ['bench/overload.ts', '6']],
  ['Metrics', ['bench/metrics.ts']],
  ['Frozen history in two containers', ['bench/segments.ts', '2000']],
  ['Primary network replay', ['bench/primary-replay.ts', '200000']],
  ['Primary network replay, three of ten delegate', ['bench/primary-replay.ts', '200000', '3']],
  ['Primary network lists and balances', ['bench/primary-lists.ts']],
  ['Signature aggregation', ['bench/aggregation.ts', '1000', '20']],
] as const

const sections: string[] = []
for (const [title, args] of benches) {
  console.log(`${title}: node ${args.join(' ')}`)
  const [load = 0] = loadavg()
  let said: string
  try {
    said = execFileSync(process.execPath, [...args], {
      encoding: 'utf8',
      timeout: 900_000,
      maxBuffer: 16_777_216,
    })
  } catch (error) {
    said = error instanceof Error ? `failed: ${error.message}` : 'failed'
    process.exitCode = 1
  }
  console.log(said)
  sections.push(
    `## ${title}\n\n\`node ${args.join(' ')}\`, load ${load.toFixed(1)} before\n\n\`\`\`\n${said.trim()}\n\`\`\`\n`,
  )
}
const [cpu] = cpus()
const machine = `${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}, Node ${process.versions.node}`
writeFileSync(
  new URL('results.md', import.meta.url),
  `# Results\n\nWritten by \`npm run bench\` on ${machine}.\n\n${sections.join('\n')}`,
)
