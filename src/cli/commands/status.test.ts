import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ChainStatus, StageStatus } from '../../shape/status.ts'
import { statusLines } from './status.ts'

const unknown = { indexedHeight: -1, headHeight: -1, blocksPerSecond: 0 } as const
const chain = {
  chain: 'fuji-demo',
  kind: 'evm',
  network: 'fuji',
  name: 'Demo',
  state: 'live',
} as const

/** Lines printed for one stage. */
function printed(stage: Partial<StageStatus>): string {
  const stages = [{ stage: 'blocks', state: 'live' as const, ...unknown, ...stage }]
  const shown: ChainStatus = { ...chain, ...unknown, stages }
  return statusLines({ version: '1.0.0', role: 'all', chains: [shown] })[2] ?? ''
}

void test('status: a stage without a height prints neither height nor rate', () => {
  assert.equal(printed({ stage: 'health' }), '  health  live')
  assert.equal(printed({ state: 'syncing' }), '  blocks  syncing')
  const reason = 'a node does not answer'
  assert.equal(printed({ state: 'syncing', reason }), `  blocks  syncing: ${reason}`)
  const off = { stage: 'traces', state: 'off', reason: 'switched off' } as const
  assert.equal(printed(off), '  traces  off: switched off')
  assert.equal(printed({ ...off, headHeight: 402 }), '  traces  off: switched off')
  const until = { ...off, indexedHeight: 40, headHeight: 402 }
  assert.equal(printed(until), '  traces  off at 40 of 402: switched off')
  const since = { ...until, state: 'live', indexedHeight: 402, completeFrom: 4_096 } as const
  assert.match(printed(since), /^ {2}traces {2}live at 402, complete from 4,096/)
})

void test('status: a stage says how far, how fast and how long', () => {
  const live = { indexedHeight: 402, headHeight: 402, blocksPerSecond: 368.86, etaSeconds: 0 }
  assert.equal(printed(live), '  blocks  live at 402')
  assert.equal(printed({ ...live, headHeight: 403 }), '  blocks  live at 402 of 403')
  const syncing = { ...live, state: 'syncing', headHeight: 20_000, etaSeconds: 54 } as const
  assert.equal(printed(syncing), '  blocks  syncing at 402 of 20,000, 369 blocks/s, 54 s to go')
  assert.match(printed({ ...syncing, blocksPerSecond: 1 }), /, 1 block\/s, /)
  assert.match(printed({ ...syncing, blocksPerSecond: 0.34 }), /, 0\.3 blocks\/s, /)
  assert.equal(printed({ state: 'syncing', headHeight: 402 }), '  blocks  syncing to 402')
  assert.equal(
    printed({ ...syncing, state: 'stopped', reason: 'store is of another chain' }),
    '  blocks  stopped at 402 of 20,000: store is of another chain',
  )
})

void test('status: stages stand in columns, messages beside the chains', () => {
  const at = {
    stage: 'blocks',
    ...unknown,
    indexedHeight: 7,
    headHeight: 7,
    state: 'live',
  } as const
  const shown: ChainStatus = { ...chain, ...unknown, stages: [at, { ...at, stage: 'P' }] }
  const lines = statusLines({
    version: '1.0.0',
    role: 'all',
    nodeId: 'NodeID-x',
    chains: [shown],
    messages: { ...at, stage: 'messages' },
  })
  assert.deepEqual(lines, [
    'Firn 1.0.0, role all, NodeID-x',
    'Demo (fuji-demo, fuji)',
    '  blocks    live at 7',
    '  P         live at 7',
    'Interchain messages',
    '  messages  live at 7',
  ])
  assert.equal(statusLines({ version: '1.0.0', role: 'index', chains: [] }).length, 1)
})
