import assert from 'node:assert/strict'
import { test } from 'node:test'

import { shareConnections } from './store-connections.ts'

void test('connections: what the threads have together is the setting, and each that reads has one', () => {
  for (const role of ['all', 'index', 'serve'] as const)
    for (const total of [8, 9, 10, 25, 1_000]) {
      const { main, decoder, writer } = shareConnections(role, total)
      const marks = role === 'serve' ? 1 : 2
      const sum = [main, decoder, writer].reduce(
        (all, { read, write }) => all + read + write,
        marks,
      )
      assert.equal(sum, total, `${role} ${total}`)
      const reading = role === 'serve' ? [main] : [main, decoder, writer]
      assert.ok(
        reading.every(({ read }) => read >= 1),
        `${role} ${total}`,
      )
    }
})
