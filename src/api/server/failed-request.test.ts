import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'

import Fastify from 'fastify'

import { silentLog } from '../../telemetry/log.ts'
import { fail } from './failed-request.ts'

void test('a request that breaks is an error in the log, unless its caller has gone', async (t) => {
  const logged: string[] = []
  const note = (level: string) => (event: string) => void logged.push(`${level} ${event}`)
  const log = { ...silentLog, debug: note('debug'), error: note('error') }
  const http = Fastify()
  t.after(() => http.close())
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  http.get('/left', async (_request, reply) => {
    begun.resolve()
    await once(reply.raw, 'close')
    const error = new DOMException('This operation was aborted', 'AbortError')
    fail(log, reply, { error, listsMessages: false })
    ended.resolve()
    return reply
  })
  http.get('/broken', (_request, reply) =>
    fail(log, reply, { error: new Error('a bug'), listsMessages: false }),
  )
  const url = await http.listen({ host: '127.0.0.1', port: 0 })
  const tab = new AbortController()
  const left = fetch(`${url}/left`, { signal: tab.signal }).catch(() => undefined)
  await begun.promise
  tab.abort()
  await left
  await ended.promise
  assert.deepEqual(logged, ['debug request broke'])
  assert.equal((await fetch(`${url}/broken`)).status, 500)
  assert.deepEqual(logged, ['debug request broke', 'error request broke'])
})
