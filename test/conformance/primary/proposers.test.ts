/** Who proposed a block, on a network whose outer blocks are signed. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { toCb58, toNodeId } from '../../../src/core/cb58.ts'
import type { Proposer } from '../../../src/source/primary/primary-source.ts'
import { openRecordedPrimary } from '../../../src/source/primary/recorded-source.ts'
import type { Json } from '../../support/services/evm-service.ts'
import { primaryService, proposalsPath } from '../../support/services/primary-service.ts'

const service = await primaryService({}, 'sqlite', proposalsPath)
const recorded = openRecordedPrimary(readFileSync(proposalsPath))

const never = new AbortController().signal

async function proposersOf(chain: 'P' | 'X' | 'C'): Promise<Map<number, Proposer | undefined>> {
  const until = (await recorded.headHeight(chain, never)) + 1
  const from = chain === 'X' ? 0 : 1
  const blocks =
    chain === 'C'
      ? await recorded.cBlocks({ from, until }, never)
      : await recorded.blocks(chain, { from, until }, never)
  return new Map(blocks.map(({ height, proposer }) => [height, proposer]))
}

function viewOf(proposer: Proposer): Json {
  const { outerId, outerParentId, nodeId, pChainHeight, timestamp } = proposer
  return {
    proposerId: toCb58(outerId),
    proposerParentId: toCb58(outerParentId),
    ...(nodeId === undefined ? {} : { proposerNodeId: toNodeId(nodeId) }),
    ...(pChainHeight === undefined ? {} : { proposerPChainHeight: pChainHeight }),
    ...(timestamp === undefined ? {} : { proposerTimestamp: timestamp }),
  }
}

// Blocks of each chain: those whose container is signed, and those with a container.
const known = { P: [117, 135], X: [6, 7], C: [35, 36] } as const

for (const [chain, path] of [
  ['P', 'p-chain'],
  ['X', 'x-chain'],
  ['C', 'c-chain'],
] as const) {
  void test(`proposers of the ${path}: what its containers say, and lists by node`, async () => {
    const base = `/v1/networks/fuji/blockchains/${path}`
    const blocks = await service.readAll(`${base}/blocks?pageSize=100`, 'blocks')
    const theirs = await proposersOf(chain)
    const nodes = new Map<string, number>()
    let outer = 0
    for (const { blockNumber, proposerDetails } of blocks) {
      const proposer = theirs.get(Number(blockNumber))
      assert.deepEqual(proposerDetails, proposer === undefined ? undefined : viewOf(proposer))
      if (proposer === undefined) continue
      outer++
      if (proposer.nodeId === undefined) continue
      const nodeId = toNodeId(proposer.nodeId)
      nodes.set(nodeId, (nodes.get(nodeId) ?? 0) + 1)
    }
    const signed = [...nodes.values()].reduce((sum, count) => sum + count, 0)
    assert.deepEqual([signed, outer], known[chain])
    for (const [nodeId, count] of nodes) {
      const mine = await service.readAll(`${base}/nodes/${nodeId}/blocks?pageSize=7`, 'blocks')
      assert.equal(mine.length, count)
      assert.ok(mine.every((one) => one.proposerDetails?.proposerNodeId === nodeId))
    }
  })
}
