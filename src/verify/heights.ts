/** Heights of store and node. */

import { integerIn } from '../source/node-text.ts'
import { type NodeApi, nodePaths } from '../source/primary/node-api.ts'
import { checkpointHeights } from '../store/checkpoint.ts'
import type { Reader } from '../store/engine/database.ts'
import type { PrimaryChain } from '../store/schema/primary/position.ts'

/** Heights by chain; -1 before the first block. */
export type Heights = Readonly<Record<PrimaryChain, number>>

/** Last heights committed. Chains without a block that matters to us are at 0. */
export async function storedHeights(store: Reader): Promise<Heights> {
  const stages = await checkpointHeights(store)
  return { P: stages.get('P') ?? -1, X: stages.get('X') ?? -1, C: stages.get('C') ?? 0 }
}

/** Last heights the node has accepted, of `chains` only: the others are -1. */
export async function acceptedHeights(
  node: NodeApi,
  chains: readonly PrimaryChain[],
  signal: AbortSignal,
): Promise<Heights> {
  const heights = { P: -1, X: -1, C: -1 }
  for (const chain of chains) heights[chain] = await asked[chain](node, signal)
  return heights
}

const asked: Readonly<
  Record<PrimaryChain, (node: NodeApi, signal: AbortSignal) => Promise<number>>
> = {
  P: async (node, signal) =>
    integerIn(await node.ask(nodePaths.P, 'platform.getHeight', {}, signal), 'height'),
  X: async (node, signal) =>
    integerIn(await node.ask(nodePaths.X, 'avm.getHeight', {}, signal), 'height'),
  C: async (node, signal) => {
    const [number] = await node.askEvm([{ method: 'eth_blockNumber', params: [] }], signal)
    return integerIn({ number }, 'number')
  },
}

/** Returns whether both are the same on all of `chains`. */
export function areEqual(one: Heights, other: Heights, chains: readonly PrimaryChain[]): boolean {
  return chains.every((chain) => one[chain] === other[chain])
}
