/**
 * Runs every bench, one after the other, and prints what they say. With `--keep` it is written to
 * `bench/results.md`, in place of what stands there.
 *
 *     npm run bench
 *     npm run bench -- --keep
 *
 * Figures of one run on one machine belong together: compare ratios, not runs.
 */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, totalmem } from 'node:os'

const benches = [
  ['Starting', ['bench/start.ts']],
  ['Overload', ['bench/overload.ts', '6']],
  ['Lists of a running Firn', ['bench/running.ts', '2000']],
  ['Balances compared with the node', ['bench/compared-balances.ts']],
  ['A block at the head', ['bench/head.ts']],
  ['EVM backfill with traces', ['bench/traces.ts']],
  ['PostgreSQL beside SQLite', ['bench/postgres.ts']],
  ['Threads that answer', ['bench/workers.ts']],
  ['EVM ingest', ['bench/evm-ingest.ts', '6000', 'rich']],
  ['EVM ingest of plain transfers', ['bench/evm-ingest.ts', '1500', 'plain']],
  ['How the cost of a transfer grows', ['bench/growth.ts', '250000']],
  ['Signature aggregation', ['bench/aggregation.ts', '1000', '20']],
  ['EVM backfill by a running Firn', ['bench/backfill.ts', '6000']],
  ['EVM backfill from one node and from four', ['bench/nodes.ts']],
  ['EVM backfill of a million plain transfers', ['bench/backfill.ts', '5000', 'plain']],
  ['Frozen history against tables', ['bench/frozen-reads.ts', '1000000', 'plain', '2']],
  ['History in many files', ['bench/history-keys.ts', '204600', '23,190']],
  ['Kept logs', ['bench/kept-logs.ts', '2000', '50']],
  ['EVM backfill from a real node', ['bench/real-node.ts', '1000', '2']],
  ['Lists while indexing', ['bench/lists-while-indexing.ts', '8000']],
  ['Metrics', ['bench/metrics.ts']],
  ['Primary network lists and balances', ['bench/primary-lists.ts']],
  ['Primary network replay', ['bench/primary-replay.ts', '200000']],
  ['Primary network replay, three of ten delegate', ['bench/primary-replay.ts', '200000', '3']],
  ['Primary network from peers', ['bench/from-peers.ts']],
  ['History in a bucket', ['bench/bucket.ts', '1000000', '20']],
  ['A deployment: engines, and processes that serve', ['bench/fleet.ts', '200']],
] as const

const isKept = process.argv.includes('--keep')
const [cpu] = cpus()
const machine = `${cpus().length} × ${cpu?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}, Node ${process.versions.node}`
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
  // After each, so that a run that is ended early has what it found.
  if (isKept)
    writeFileSync(
      new URL('results.md', import.meta.url),
      `# Results\n\nWritten by \`npm run bench\` on ${machine}.\n\n${sections.join('\n')}`,
    )
}
