import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Bell } from './waiting.ts'

void test('bell: who waits hears it once; who came later hears the next', async () => {
  const bell = new Bell()
  const { signal } = new AbortController()
  const heard: string[] = []
  const first = bell.heard(signal).then(() => heard.push('first'))
  bell.ring()
  const second = bell.heard(signal).then(() => heard.push('second'))
  await first
  assert.deepEqual(heard, ['first'])
  bell.ring()
  await second
  assert.deepEqual(heard, ['first', 'second'])
})

void test('bell: a wait ends with its signal', async () => {
  const bell = new Bell()
  const leaving = new AbortController()
  const waiting = bell.heard(leaving.signal)
  leaving.abort()
  await waiting
  await bell.heard(leaving.signal)
})
