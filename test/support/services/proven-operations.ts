/** Which operations a test file proves: it names them, and each must have answered with success. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Operation } from '../../../src/api/operation/operation.ts'
import type { ApiServer } from '../../../src/api/server/server.ts'
import { templateOf } from '../nodes/answer-book.ts'

/** Operations that answered with success so far, by id. */
export type Answered = { readonly answered: ReadonlySet<string> }

/** Notes from now on which of `operations` the server answers with success. */
export function noteAnswers(server: ApiServer, operations: readonly Operation[]): Answered {
  const ids = new Map(
    operations.map(({ contract }) => [`${contract.method} ${contract.path}`, contract.id]),
  )
  const answered = new Set<string>()
  server.http.addHook('onRequest', async (request, { raw }) => {
    const id = ids.get(`${request.method} ${templateOf(request.routeOptions.url ?? '')}`)
    if (id === undefined) return
    // Right before the answer is sent, so that its caller comes later.
    raw.once('prefinish', () => {
      if (raw.statusCode < 300) answered.add(id)
    })
  })
  return { answered }
}

/**
 * Stands at the end of a test file that proves other operations than the one it is named for.
 * `docs/reference/operations.md` leads from these operations to the file.
 */
export function provesOperations(services: readonly Answered[], ids: readonly string[]): void {
  void test('operations: all that this file proves were answered', () => {
    const silent = ids.filter((id) => !services.some(({ answered }) => answered.has(id)))
    assert.deepEqual(silent, [])
  })
}
