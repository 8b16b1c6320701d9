import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault, type FaultCode } from '../../core/fault.ts'
import { SharedWork } from './shared-work.ts'

const isFault =
  (code: FaultCode, pattern = /./) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code && pattern.test(error.message)

void test('shared work: joined by key, ended when all have left, refused when too much waits', async () => {
  const work = new SharedWork<number>({ maxRunning: 1, maxWaiting: 1 })
  const never = new AbortController().signal
  let release = (): void => {}
  const held = (signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      release = () => resolve(1)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const leaving = new AbortController()
  const one = work.do('a', held, never)
  const other = work.do('a', held, leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(other, /left/)
  const queued = work.do('b', async () => 2, never)
  await assert.rejects(
    work.do('c', async () => 3, never),
    isFault('overloaded'),
  )
  assert.equal(work.size, 2)
  release()
  assert.deepEqual(await Promise.all([one, queued]), [1, 2])
  const alone = new AbortController()
  let reason: unknown
  const left = work.do(
    'd',
    (signal) =>
      held(signal).catch((error: unknown) => {
        reason = error
        throw error
      }),
    alone.signal,
  )
  alone.abort(new Error('left too'))
  await assert.rejects(left, /left too/)
  await new Promise(setImmediate)
  assert.ok(reason instanceof Fault && reason.code === 'not-served')
  assert.equal(work.size, 0)
  const closing = work.do('e', held, never)
  work.close()
  await assert.rejects(closing, isFault('not-served', /shutting down/))
  await assert.rejects(
    work.do('f', async () => 2, never),
    isFault('not-served', /shutting down/),
  )
  await assert.rejects(work.do('f', held, AbortSignal.abort(new Error('before'))), /before/)
})
