/** Deleted webhooks make room for new ones. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { openSmallStore } from '../../src/store/open.ts'
import {
  addWebhook,
  changeWebhook,
  countWebhooks,
  removeOldestInactive,
  webhookById,
} from '../../src/store/query/events/webhooks.ts'
import { eventTables } from '../../src/store/schema/stores.ts'

void test('webhooks: the oldest inactive one of the same owner goes, no active one', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-webhooks-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const store = await openSmallStore({ store: 'embedded', dataDir }, 'events', eventTables)
  t.after(() => store.close())
  await store.transaction(async (writer) => {
    const add = (id: string, owner: string): Promise<number> =>
      addWebhook(writer, {
        id,
        owner,
        store: 's',
        ledger: 'traces',
        active: true,
        createdMs: 1,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- never read here
        body: {} as never,
      })
    for (const id of ['a', 'b', 'c']) await add(id, 'mine')
    await add('d', 'other')
    assert.equal(await removeOldestInactive(writer, 'mine'), false)
    for (const id of ['d', 'c', 'b']) {
      const webhook = await webhookById(writer, id)
      assert.ok(webhook !== undefined)
      assert.ok(await changeWebhook(writer, { ...webhook, active: false }))
    }
    assert.equal(await removeOldestInactive(writer, 'mine'), true)
    assert.equal(await webhookById(writer, 'b'), undefined)
    assert.equal(await countWebhooks(writer, 'mine'), 2)
    assert.equal(await countWebhooks(writer, 'other'), 1)
  })
})
