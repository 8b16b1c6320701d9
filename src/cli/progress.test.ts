import assert from 'node:assert/strict'
import { test } from 'node:test'

import { dagHeight } from '../indexing/primary/replay/x/replay-x.ts'
import { withoutDepth } from '../indexing/stream/stage.ts'
import { line, showProgress } from './progress.ts'

void test('progress: a line says how far, how fast and how long, and fits the terminal', () => {
  const stage = {
    stage: 'blocks',
    state: 'syncing',
    indexedHeight: 499,
    headHeight: 1_999,
  } as const
  const chain = { key: 'a', network: 'fuji', name: 'Demo', endpoints: [] }
  const shown = line(
    { ...chain, stages: [{ ...stage, blocksPerSecond: 1_210, etaSeconds: 3 }] },
    200,
  )
  assert.match(shown, /^Demo +█{6}░{18} +25 % +block 500 of 2,000, 1,210 blocks\/s, 3 s to go$/)
  assert.equal(line({ ...chain, stages: [{ ...stage, blocksPerSecond: 1 }] }, 40).length, 40)
  const waiting = { ...stage, blocksPerSecond: 0, reason: 'a node does not answer' }
  assert.match(line({ ...chain, stages: [waiting] }, 200), /waiting: a node does not answer$/)
})

void test('progress: transactions from before a chain had blocks are none of its blocks yet', () => {
  const stages = [
    { stage: 'P', state: 'live', indexedHeight: 184, headHeight: 184, blocksPerSecond: 0 },
    // Where the X-Chain stands after genesis: its DAG lies in heights below 0.
    {
      stage: 'X',
      state: 'syncing',
      indexedHeight: dagHeight - 1,
      headHeight: 154,
      blocksPerSecond: 700,
      etaSeconds: 6_000_000,
    },
  ] as const
  const shown = { key: 'primary-fuji', network: 'fuji', name: 'Primary', endpoints: [] }
  const chain = { ...shown, stages: stages.map(withoutDepth) }
  assert.match(
    line(chain, 200),
    /^Primary +[█░]{24} +\d+ % +X-Chain block 0 of 155, 700 blocks\/s$/,
  )
})

void test('progress: a line of the log stands above the bars, nothing is overwritten', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const stage = { stage: 'blocks', indexedHeight: 9, headHeight: 9, blocksPerSecond: 0 } as const
  const chain = {
    network: 'fuji',
    endpoints: [],
    stages: [{ ...stage, state: 'syncing' as const }],
  }
  const chains = [
    { ...chain, key: 'a', name: 'One' },
    { ...chain, key: 'b', name: 'Two' },
  ]
  const lines: string[] = []
  let at = 0
  // As much of a terminal as is used: up, erase a line, erase below, new line.
  const write = (text: string): void => {
    const plain = text.replaceAll('\u001b', '^')
    for (const [, up, erase, word] of plain.matchAll(/\^\[(\d+)A|\^\[(2K|J)|([^^]+)/g)) {
      if (up !== undefined) at -= Number(up)
      else if (erase === '2K') lines[at] = ''
      else if (erase === 'J') lines.length = at
      else
        for (const part of (word ?? '').split(/(?<=\n)/)) {
          lines[at] = (lines[at] ?? '') + part.replace('\n', '')
          if (part.endsWith('\n')) at++
        }
    }
  }
  const drawing = showProgress({ isTerminal: true, columns: () => 80, write }, () => chains)
  t.mock.timers.tick(500)
  drawing.makeRoom(() => write('something happened\n'))
  t.mock.timers.tick(500)
  drawing.stop()
  assert.deepEqual(
    lines.map((text) => text.split(' ')[0]),
    ['something', 'One', 'Two'],
  )
})
