import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { Replicas } from './replicas.ts'

void test('readers: the only one, which gave its place and then fell silent, is a fault that says so', async () => {
  const position = { server: 'one', place: 7n }
  const readers = new Replicas([
    { name: 'reader 1', position: async () => position, close: async () => undefined },
  ])
  const away = new Fault('store-failed', 'the server is away')
  const page = readers.during(async () => {
    await readers.reach(7n, () => true)
    return readers.read(() => Promise.reject(away))
  })
  await assert.rejects(page, away)
  await readers.close()
})
