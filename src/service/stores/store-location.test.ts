import assert from 'node:assert/strict'
import { test } from 'node:test'

import pg from 'pg'

import { checkPostgresUrl } from './store-location.ts'

/** TLS as the driver understands the address: none, or options of it, which verifies where they do not say otherwise. */
function tlsOf(words: string): unknown {
  return new pg.Client({ connectionString: `postgres://firn@db/firn?${words}` }).ssl
}

void test('addresses of PostgreSQL: what is taken means to the driver what the guide says', () => {
  const verified = ['sslmode=require', 'sslmode=prefer', 'sslmode=verify-ca', 'sslmode=verify-full']
  for (const words of verified) assert.deepEqual(tlsOf(words), {}, words)
  assert.equal(tlsOf('ssl=true'), true)
  assert.equal(tlsOf('sslmode=disable'), false)
  assert.deepEqual(tlsOf('sslmode=no-verify'), { rejectUnauthorized: false })
  for (const words of [...verified, 'ssl=true', 'ssl=1', 'ssl=0', 'sslmode=disable', ''])
    checkPostgresUrl('store', `postgres://firn@db/firn?${words}`)
})

void test('addresses of PostgreSQL: what the driver would misread is refused, without the password', () => {
  const refused = (words: string, sentence: RegExp): void =>
    assert.throws(
      () => checkPostgresUrl('store', `postgres://firn:hidden@db/firn?${words}`),
      (error) => {
        assert.ok(error instanceof Error)
        assert.match(error.message, sentence)
        assert.doesNotMatch(error.message, /hidden/)
        return true
      },
    )
  // To the driver both are TLS.
  refused('sslmode=requre', /^store: sslmode must be one of .*: requre$/)
  refused('ssl=false', /^store: ssl must be true or 0; sslmode says more: false$/)
})
