/**
 * A backfill of a bundled chain in a process of its own, for tests that kill it.
 *
 *     node test/support/processes/ingest-process.ts '<location as JSON>' <name> <chain id> <blocks per batch> [<blocks> | at-once]
 *
 * Freezes its history each time so many blocks have their traces, or, without traces, each batch of
 * blocks as it is stored. Prints a line per batch stored,
 * `blocks <height>` or `traces <height>`, one per segment, `frozen <height>`, one when what is due of
 * these is merged, `merged <height>`, and `done`.
 */

import { readDemoChain } from '../chains/read-demo-chain.ts'
import type { DemoChainId } from '../stores/demo-store.ts'

const [location, name, chainId, step, freezeEvery] = process.argv.slice(2)
const isAtOnce = freezeEvery === 'at-once'
const chain: DemoChainId = chainId === '51002' ? 51_002 : 51_001
await readDemoChain(JSON.parse(location ?? '{}'), {
  name: name ?? '',
  chain,
  step: Number(step),
  owner: `process ${process.pid}`,
  ...(freezeEvery === undefined || isAtOnce ? {} : { freezeEvery: Number(freezeEvery) }),
  ...(isAtOnce ? { freezesAtOnce: true, traces: false } : {}),
  progress: (line) => process.stdout.write(`${line}\n`),
})
process.stdout.write('done\n')
