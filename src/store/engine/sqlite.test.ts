import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { openStore } from './open.ts'
import { table } from './table.ts'

const blob = table('blob', { id: 'integer', bytes: 'bytes' }, { key: ['id'], layout: 'rows' })
const mib = 2 ** 20

void test('sqlite: what a transaction changes beyond the page cache leaves memory at once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-cache-'))
  const place = { store: 'embedded', dataDir, writerCacheBytes: 4 * mib }
  // A file whose pages are known only when it is read, and one that is new.
  for (const round of ['new', 'opened again']) {
    const store = await openStore(place, 'cache', [blob], 'write')
    const logged = (): number => statSync(join(dataDir, 'cache.sqlite-wal')).size
    await store.transaction(async (writer) => {
      const before = logged()
      const ids = Array.from({ length: 8 }, (_, at) => at + (round === 'new' ? 0 : 8))
      await writer.insert(blob, { id: ids, bytes: ids.map(() => new Uint8Array(mib)) })
      assert.ok(logged() - before >= 3 * mib, `${round}: ${logged() - before} bytes in the log`)
    })
    await store.close()
  }
  rmSync(dataDir, { recursive: true })
})
