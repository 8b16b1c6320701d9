import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGauges } from '../../telemetry/gauges.ts'
import { idleStatus } from '../stream/stage.ts'
import { StatusBoard } from './status-board.ts'

void test('status board: nothing is live of a chain whose copied history was refused', () => {
  const board = new StatusBoard({ chains: [], streams: [], gauges: createGauges() })
  const live = (stage: string) => ({ ...idleStatus(stage), state: 'live' as const })
  const refused = { ...idleStatus('copied'), state: 'stopped' as const, reason: 'it differs' }
  board.take({ key: 'c', stages: [live('blocks'), live('copied'), idleStatus('traces')] })
  assert.equal(board.stage('c', 'blocks')?.state, 'live')
  board.take({ key: 'c', stages: [refused] })
  assert.equal(board.stage('c', 'blocks')?.state, 'stopped')
  assert.deepEqual(
    board.all()[0]?.stages.map(({ state, reason }) => [state, reason]),
    [
      ['stopped', 'it differs'],
      ['stopped', 'it differs'],
      ['syncing', undefined],
    ],
  )
})
