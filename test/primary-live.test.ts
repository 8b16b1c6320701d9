/**
 * A running local network, named by FIRN_LIVE_NODE: indexed with and without its Index API, and
 * compared with what the node says of its state. No block may come meanwhile, as nothing follows.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { openNetwork } from '../src/api/primary/open-network.ts'
import type { HttpRequest, World } from '../src/core/world.ts'
import { createNodeApi } from '../src/source/primary/node-api.ts'
import { verifyPrimary } from '../src/verify/verify-primary.ts'
import { liveWorld } from './live-world.ts'
import { fileWorld, indexPrimary } from './primary-service.ts'

const nodeUrl = process.env['FIRN_LIVE_NODE'] ?? ''
const skip = nodeUrl === '' ? 'FIRN_LIVE_NODE names no node' : false

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

for (const [how, world] of [
  ['by its Index API', live],
  ['block by block', withoutIndex],
] as const) {
  void test(`live network: read ${how}, the store says what the node says`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firn-live-'))
    const store = await indexPrimary({ store: 'embedded', dataDir: folder }, { world, nodeUrl })
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
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
