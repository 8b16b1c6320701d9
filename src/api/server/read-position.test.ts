import assert from 'node:assert/strict'
import { test } from 'node:test'

import { systemClock } from '../../../test/support/processes/system-clock.ts'
import { createPageTokens } from '../operation/page-token.ts'
import { plainQuery, takenApart, withPosition } from './read-position.ts'

const tokens = createPageTokens([{ id: 1, secret: new Uint8Array(32).fill(7) }], systemClock)
const mistake = Buffer.from('no cursor')
const binding = { route: 'r', filter: 'f' }

void test('read position: tokens of both forms carry it, and are what they were without it', () => {
  for (const form of ['text', 'uuids'] as const)
    for (let size = 0; size < 40; size++) {
      const cursor = new Uint8Array(size).fill(size)
      const sealed = tokens.seal(cursor, binding, form)
      for (const place of [0n, 1n, 2n ** 63n]) {
        const placed = withPosition(sealed, { server: '7300000000000000001', place })
        assert.match(placed, /^[\w.-]+$/, 'letters that an address may hold')
        const { token, position } = takenApart(placed)
        assert.equal(token, sealed)
        assert.equal(position?.place, place)
        assert.match(position?.serverHash ?? '', /^[0-9a-f]{8}$/)
        const { pageToken, other } = plainQuery({ pageToken: placed, other: 1 })
        assert.equal(Buffer.compare(tokens.open(pageToken, binding) ?? mistake, cursor), 0)
        assert.equal(other, 1)
      }
      assert.deepEqual(takenApart(sealed), { token: sealed }, 'a token without')
    }
})

void test('read position: tokens of two servers are distinguished', () => {
  const of = (server: string) => takenApart(withPosition('a', { server, place: 5n })).position
  assert.notEqual(of('1')?.serverHash, of('2')?.serverHash)
  assert.deepEqual(of('1'), of('1'))
})
