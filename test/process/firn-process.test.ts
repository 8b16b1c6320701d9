/** Cleaning up at the ends of tests. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { atEnd } from '../support/processes/firn-process.ts'

void test('ends of tests: the newest work first, and all of it though one fails', async () => {
  const registered: (() => Promise<void>)[] = []
  const done: string[] = []
  const ending = { after: (work: () => Promise<void>) => void registered.push(work) }
  atEnd(ending, async () => done.push('folder'))
  atEnd(ending, async () => {
    done.push('server')
    throw new Error('closed already')
  })
  atEnd(ending, async () => done.push('process'))
  assert.equal(registered.length, 1)
  await assert.rejects(async () => registered[0]?.(), /closed already/)
  assert.deepEqual(done, ['process', 'server', 'folder'])
})
