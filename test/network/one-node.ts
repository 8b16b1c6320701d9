/** A real network of one node, which validates alone. */

import type { TestContext } from 'node:test'

import { scenarioPlan } from './plan.ts'
import { type RealNetwork, startNetwork } from './real-network.ts'
import { openScene, type Scene } from './scene.ts'

/** Starts it for a test; `scene` is its first moment. */
export async function startOneNode(
  t: TestContext,
  tree: string,
): Promise<{ readonly network: RealNetwork; readonly scene: Scene }> {
  const beganAt = Math.floor(Date.now() / 1_000) - 1_000
  const plan = scenarioPlan(beganAt, false)
  const initialStakers = (plan.genesis['initialStakers'] as unknown[]).slice(0, 1)
  const genesis = { ...plan.genesis, initialStakers }
  const network = await startNetwork(tree, { ...plan, genesis, nodes: 1 })
  t.after(() => network.down())
  return { network, scene: await openScene(network, beganAt) }
}
