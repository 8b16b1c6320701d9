import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { listBody, pagedAdmission, WholeLists } from './list-stream.ts'

const columns = [{ name: 'at', path: ['at'], type: 'integer' }] as const
const shape = { name: 'items', columns, mostItems: 100 }

void test('a whole list: no page is read before the ones before it were taken', async () => {
  let read = 0
  const pages = 5_000
  const { body } = await listBody('ndjson', shape, {
    isWhole: true,
    read: async (token) => {
      assert.equal(Number(token ?? 0), read)
      read++
      const more = read < pages ? { nextPageToken: String(read) } : {}
      return { body: { items: [{ at: read }], ...more } }
    },
  })
  assert.ok(body instanceof Readable)
  let taken = 0
  for await (const part of body) {
    taken++
    assert.equal(part, `{"at":${taken}}\n`)
    // One is taken, one waits, one is being read.
    assert.ok(read <= taken + 2, `read ${read}, taken ${taken}`)
  }
  assert.deepEqual([taken, read], [pages, pages])
})

void test('a whole list: a page that cannot be read ends it with the fault', async () => {
  const { body } = await listBody('csv', shape, {
    isWhole: true,
    read: async (token) => {
      if (token === 'b') throw new Error('away')
      return { body: { items: [], nextPageToken: token === undefined ? 'a' : 'b' } }
    },
  })
  assert.ok(body instanceof Readable)
  await assert.rejects(body.toArray(), /away/)
})

void test('a whole list: the limit of a minute is waited for, that of a day ends it', async () => {
  const slept: number[] = []
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async (ms: number) => void slept.push(ms),
  }
  const refusal = (reset: number): Fault => new Fault('rate-limited', 'more', { detail: { reset } })
  const refusals = [refusal(7), refusal(1)]
  await pagedAdmission(clock, () => {
    const next = refusals.pop()
    if (next !== undefined) throw next
  })
  assert.deepEqual(slept, [1_000, 7_000])
  await assert.rejects(
    pagedAdmission(clock, () => {
      throw refusal(3_600)
    }),
    /more/,
  )
})

void test('whole lists: one address has a quarter of the places, all of them have a bound', () => {
  const places = new WholeLists(8)
  const leave = ['a', 'a', 'b', 'b', 'c', 'c'].map((address) => places.enter(address))
  assert.throws(() => places.enter('a'), { code: 'overloaded' })
  leave.splice(1, 1)[0]?.()
  leave.push(places.enter('a'), places.enter('d'), places.enter('d'))
  assert.throws(() => places.enter('e'), { code: 'overloaded' })
  for (const each of leave) each()
  for (const address of 'aabbccdd') places.enter(address)
})
