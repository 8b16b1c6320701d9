import assert from 'node:assert/strict'
import { test } from 'node:test'

import { loopTurn } from './loop-turn.ts'

function workFor(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

void test('turns: a loop that works for long gives the loop back, as often as it rests', async () => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  for (let at = 0; at < 10; at++) {
    await loopTurn.rest()
    workFor(3)
  }
  isOver = true
  assert.ok(turns >= 9, `${turns} turns`)
})

void test('turns: what is late is done in order, and who waited for it works before the next', async () => {
  await loopTurn.rest()
  workFor(3)
  const seen: string[] = []
  const one = async (name: string): Promise<void> => {
    await loopTurn.rest()
    await Promise.resolve()
    seen.push(`${name} begins`)
    workFor(3)
    await loopTurn.rest()
    seen.push(name)
  }
  await Promise.all([one('a'), one('b')])
  assert.deepEqual(seen, ['a begins', 'b begins', 'a', 'b'])
})

void test('turns: a failure of late work is that of who wanted it', async () => {
  await loopTurn.rest()
  workFor(3)
  const failing = loopTurn.run(() => {
    throw new Error('no')
  })
  await assert.rejects(async () => failing, /no/)
  await loopTurn.rest()
})

void test('turns: what is to be done at the end of one is done once, before late work', async () => {
  await loopTurn.rest()
  const seen: string[] = []
  loopTurn.atEnd(() => seen.push('end'))
  workFor(3)
  await loopTurn.run(() => seen.push('late'))
  workFor(3)
  await loopTurn.rest()
  assert.deepEqual(seen, ['end', 'late'])
})
