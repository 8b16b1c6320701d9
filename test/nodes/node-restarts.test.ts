/**
 * A node that is restarted: its chains answer 404 until they are registered, and are waited for.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import type { World } from '../../src/core/world.ts'
import { factsOf } from '../support/chains/primary-facts.ts'
import { nodeGenesis, openPrimaryNode, type NodeBehaviour } from '../support/nodes/primary-node.ts'
import { fileWorld, indexPrimary } from '../support/services/primary-service.ts'

type Indexed = {
  readonly facts: Record<string, string[]>
  readonly requests: number
  readonly unregistered: number
}

async function indexed(behaviour: NodeBehaviour): Promise<Indexed> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-restart-'))
  const node = openPrimaryNode(behaviour)
  const world: World = { ...fileWorld, transport: node.transport }
  try {
    const place = { store: 'embedded', dataDir } as const
    const store = await indexPrimary(place, { world, nodeUrl: 'http://node', genesis: nodeGenesis })
    const facts = await factsOf(store)
    await store.close()
    return { facts, requests: node.requests(), unregistered: node.unregistered() }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

void test('node restarts: P, X and C wait while they are registered, and the rows are the same', async () => {
  const whole = await indexed({})
  const restartsAt = [1, 62, 115, 140, 200]
  const disturbed = await indexed({ restartsAt })
  assert.deepEqual(disturbed.facts, whole.facts)
  assert.ok(whole.requests > 100, `requests: ${whole.requests}`)
  assert.ok(disturbed.unregistered > 10, `404 of chains: ${disturbed.unregistered}`)
})

void test('node restarts: a chain that is not there though the node is bootstrapped stops', async () => {
  await assert.rejects(indexed({ without: ['C'] }), /C: a node does not offer this API/)
})
