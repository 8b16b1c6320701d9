import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { virtualClock } from '../../../test/support/processes/virtual-clock.ts'
import { laterLayouts } from '../../../test/support/stores/later-layouts.ts'
import { Fault } from '../../core/fault.ts'
import { openStore } from '../../store/open.ts'
import { controlTables } from '../../store/schema/control.ts'
import { silentLog } from '../../telemetry/log.ts'
import { followStore } from './open-served.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-follow-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const store = { store: 'embedded', dataDir: folder }

void test('followed store: one that cannot be read when it comes is reported', async () => {
  const over = new AbortController()
  const errors: unknown[] = []
  const clock = virtualClock()
  const followed = await followStore('late', controlTables, {
    store,
    clock,
    log: { ...silentLog, error: (event, fields) => errors.push([event, fields?.['store']]) },
    signal: over.signal,
  })
  const later = { ...store, layouts: laterLayouts('takes') }
  await (await openStore(later, 'late', controlTables, 'write')).close()
  while (errors.length === 0 && clock.elapsedMs() < 60_000) await clock.sleep(100)
  assert.deepEqual(errors, [['store is not served', 'late']])
  assert.equal(followed.get(), undefined)
  over.abort()
  await followed.close()
})

void test('followed store: what fails for a moment is tried again', async () => {
  const over = new AbortController()
  const clock = virtualClock()
  await (await openStore(store, 'busy', controlTables, 'write')).close()
  const failures = ['overloaded', 'store-failed', 'not-ready'] as const
  let opened = 0
  const followed = await followStore('busy', controlTables, {
    store,
    clock,
    log: silentLog,
    signal: over.signal,
    accept: async () => {
      const code = failures[opened++]
      if (code !== undefined) throw new Fault(code, 'for a moment')
      return true
    },
  })
  while (followed.get() === undefined && clock.elapsedMs() < 60_000) await clock.sleep(100)
  assert.equal(opened, failures.length + 1)
  assert.equal(followed.get()?.name, 'busy')
  over.abort()
  await followed.close()
})
