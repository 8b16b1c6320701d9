/**
 * A node's network, indexed in this process with and without the Index API, and compared with what
 * the node says of its state. No block may come meanwhile, as nothing follows.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openNetwork } from '../../src/api/primary/network/networks.ts'
import type { HttpRequest, World } from '../../src/core/world.ts'
import { createNodeApi } from '../../src/source/primary/node-api.ts'
import { verifyPrimary } from '../../src/verify/verify-primary.ts'
import { liveWorld } from '../support/chains/live-world.ts'
import { fileWorld, indexPrimary } from '../support/services/primary-service.ts'

const live: World = { ...fileWorld, transport: liveWorld(1).transport }

/** The same node, as if its Index API were off: such nodes answer 404. */
const withoutIndex: World = {
  ...live,
  transport: {
    request: async (request: HttpRequest) =>
      request.url.includes('/ext/index/')
        ? { status: 404, headers: {}, body: new TextEncoder().encode('404 page not found\n') }
        : live.transport.request(request),
  },
}

/** Which network, and its genesis file. */
export type LiveNetwork = { readonly nodeUrl: string; readonly genesis: string }

/** Indexes it both ways; every comparison must find the same. */
export async function checkLivePrimary({ nodeUrl, genesis }: LiveNetwork): Promise<void> {
  for (const world of [live, withoutIndex]) {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-live-'))
    const location = { store: 'embedded', dataDir }
    const store = await indexPrimary(location, { world, nodeUrl, genesis })
    try {
      const network = await openNetwork('fuji', store)
      assert.ok(network !== undefined)
      const limits = { timeoutMs: 30_000, maxReplyBytes: 33_554_432 }
      const { report, interrupted } = await verifyPrimary({
        network,
        node: createNodeApi({ transport: live.transport, url: nodeUrl, ...limits }),
        clock: fileWorld.clock,
        signal: AbortSignal.timeout(120_000),
        sample: 32,
      })
      assert.deepEqual(report.differences(), [])
      assert.deepEqual([...report.skipped()], [])
      assert.deepEqual(interrupted, [])
    } finally {
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}
