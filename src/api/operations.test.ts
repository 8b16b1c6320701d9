import assert from 'node:assert/strict'
import { test } from 'node:test'

import { operationPages } from '../../scripts/operation-pages.ts'

void test('operations: each is written in one page, and a test proves it', () => {
  const pages = operationPages()
  assert.equal(new Set(pages.map(({ id }) => id)).size, pages.length, 'ids are unique')
  const unproven = pages.filter((page) => page.test === undefined)
  assert.deepEqual(
    unproven.map(({ id }) => id),
    [],
  )
})
