import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createGauges } from '../../telemetry/gauges.ts'
import { idleStatus } from '../stream/stage.ts'
import { StatusBoard } from './status-board.ts'

void test('status board: the last moment at which the head was stored stays', () => {
  const board = new StatusBoard({ chains: [], streams: [], gauges: createGauges() })
  const told = (stage: string, indexedHeight: number, headHeight: number, headAt?: number): void =>
    board.take({
      key: 'c',
      stages: [
        {
          ...idleStatus(stage),
          indexedHeight,
          headHeight,
          ...(headAt === undefined ? {} : { headAt }),
        },
      ],
    })
  assert.equal(board.currentAt('c'), undefined)
  told('blocks', -1, -1)
  assert.equal(board.currentAt('c'), undefined, 'no head was told')
  told('blocks', 5, 6, 100)
  assert.equal(board.currentAt('c'), undefined, 'behind')
  told('blocks', 6, 6, 100)
  assert.equal(board.currentAt('c'), 100)
  told('traces', 6, 6, 140)
  assert.equal(board.currentAt('c'), 100, 'traces follow blocks')
  told('blocks', 6, 6, 150)
  assert.equal(board.currentAt('c'), 150, 'a quiet chain')
  told('blocks', 6, 9, 160)
  assert.equal(board.currentAt('c'), 150, 'behind again')
  assert.equal(board.stage('c', 'blocks')?.headHeight, 9)
})

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
