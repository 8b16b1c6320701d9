/** The demo's store of a chain against a node, all that either has. */

import { zstdDecompressSync } from 'node:zlib'

import { logsAt } from '../../../src/cli/commands/verify-chain.ts'
import type { Transport } from '../../../src/core/world.ts'
import { checksOfEvery } from '../../../src/indexing/evm/read/block-checks.ts'
import { openNodeSource } from '../../../src/source/evm/node-source.ts'
import { openStore } from '../../../src/store/open.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { verifyChain } from '../../../src/verify/evm/verify-chain.ts'
import type { Report } from '../../../src/verify/report.ts'
import { liveWorld } from '../chains/live-world.ts'

/** More than the demo has of anything. */
export const everything = 1_000_000

const limits = {
  timeoutMs: 30_000,
  traceTimeoutMs: 60_000,
  maxInFlight: 8,
  maxReplyBytes: 33_554_432,
}

/** Compares the store `key` of `dataDir` with the node at `url`, which is called by `transport`. */
export async function comparedChain(
  dataDir: string,
  key: string,
  { url, transport }: { readonly url: string; readonly transport: Transport },
): Promise<Report> {
  const world = { ...liveWorld(9), transport }
  const log = silentLog
  const source = openNodeSource({ world, log, urls: [url], expected: {}, ...limits })
  await using store = await openStore({ store: 'embedded', dataDir }, key, chainTables, 'read')
  const signal = AbortSignal.timeout(300_000)
  const { report } = await verifyChain({
    store,
    source,
    random: world.random,
    checks: checksOfEvery(source),
    decompress: (bytes) => zstdDecompressSync(bytes),
    logsOf: (height) => logsAt({ ...limits, transport, url }, height, signal),
    signal,
    sample: everything,
  })
  return report
}
