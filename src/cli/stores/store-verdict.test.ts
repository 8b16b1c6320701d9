import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { verdictOf } from './store-verdict.ts'

void test('verdict: a file that may not be read is no damaged one', async () => {
  const of = (sqlite: number): ReturnType<typeof verdictOf> =>
    verdictOf({ name: 'shared', kind: 'own', tables: [] }, async () => {
      throw new Fault('store-failed', `as SQLite says ${sqlite}`, { detail: { sqlite } })
    })
  // SQLITE_READONLY, SQLITE_CANTOPEN; SQLITE_CORRUPT, SQLITE_IOERR_SHORT_READ.
  for (const code of [8, 14]) await assert.rejects(of(code), /as SQLite says/)
  for (const code of [11, 522])
    assert.deepEqual((await of(code)).structure, [`as SQLite says ${code}`])
})
