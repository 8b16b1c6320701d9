import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'

import fc from 'fast-check'

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { createPageTokens } from './page-token.ts'
import { bindingOf } from './paging.ts'

const key = { id: 7, secret: new Uint8Array(32).fill(1) }
const binding = bindingOf('listErc20', { chainId: '51001', pageSize: 10, pageToken: 'x' })

function clockAt(ms: { value: number }): Clock {
  return { now: () => ms.value, monotonic: () => ms.value, sleep: () => Promise.resolve() }
}

void test('page token: what was sealed is opened, in both forms', () => {
  const tokens = createPageTokens([key], clockAt({ value: 1_700_000_000_000 }))
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 160 }),
      fc.constantFrom('text' as const, 'uuids' as const),
      (cursor, form) => {
        const token = tokens.seal(cursor, binding, form)
        assert.deepEqual(Uint8Array.from(tokens.open(token, binding) ?? []), cursor)
        if (form === 'uuids') {
          assert.match(token, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/)
        }
      },
    ),
  )
})

void test('page token: any changed bit, another query, another key and a day later are refused alike', () => {
  const now = { value: 1_700_000_000_000 }
  const tokens = createPageTokens([key], clockAt(now))
  const cursor = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
  const messages = new Set<string>()
  const refuse = (token: string, bound = binding, from = tokens): void => {
    assert.throws(
      () => from.open(token, bound),
      (error) => {
        assert.ok(error instanceof Fault)
        assert.equal(error.code, 'bad-page-token')
        messages.add(error.message)
        return true
      },
      token,
    )
  }
  for (const form of ['text', 'uuids'] as const) {
    const token = tokens.seal(cursor, binding, form)
    const bytes = form === 'text' ? Buffer.from(token, 'base64url') : undefined
    for (let bit = 0; bytes !== undefined && bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >>> 3] = (changed[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
      refuse(changed.toString('base64url'))
    }
    for (let size = 1; size < token.length; size++) refuse(token.slice(0, size))
    for (const more of ['A', '=', ' ', '\n', 'AAAA']) refuse(token + more)
    refuse(token, bindingOf('listErc20', { chainId: '51002', pageSize: 10 }))
    assert.ok(tokens.open(token, bindingOf('listErc20', { chainId: '51001', pageSize: 11 })))
    refuse(token, bindingOf('listErc721', { chainId: '51001', pageSize: 10 }))
    refuse(token, binding, createPageTokens([{ id: 7, secret: new Uint8Array(32) }], clockAt(now)))
    now.value += 24 * 3_600_000 - 1_000
    assert.ok(tokens.open(token, binding))
    now.value += 1_000
    refuse(token)
    now.value = 1_700_000_000_000
  }
  for (const junk of ['%', 'a'.repeat(100_000), '0'.repeat(36), '….', '\u0000']) refuse(junk)
  assert.equal(messages.size, 1)
})

void test('page token: it ends with the HMAC-SHA-256 the runtime gives, short and long keys', () => {
  for (const size of [1, 32, 64, 65]) {
    const secret = new Uint8Array(size).fill(9)
    const tokens = createPageTokens([{ id: 1, secret }], clockAt({ value: 0 }))
    const token = Buffer.from(
      tokens.seal(Uint8Array.of(5), { route: 'r', filter: 'né' }),
      'base64url',
    )
    const sealed = token.subarray(0, token.length - 16)
    const sum = createHmac('sha256', secret).update('1:r2:né').update(sealed).digest()
    assert.deepEqual(token.subarray(token.length - 16), sum.subarray(0, 16))
  }
})

void test('page token: a second key opens what it sealed after another signs', () => {
  const clock = clockAt({ value: 1_700_000_000_000 })
  const before = createPageTokens([key], clock)
  const after = createPageTokens([{ id: 8, secret: new Uint8Array(32).fill(2) }, key], clock)
  assert.ok(after.open(before.seal(Uint8Array.of(1), binding), binding))
})

void test('page token: every changed digit of a UUID token shuts it, those of padding too', () => {
  const tokens = createPageTokens([key], clockAt({ value: 1_700_000_000_000 }))
  const token = tokens.seal(Uint8Array.of(1, 2, 3), binding, 'uuids')
  const digits = Array.from(token, (_, at) => at).filter((at) => token[at] !== '-')
  let opened = 0
  for (const at of digits) {
    for (const digit of '0123456789abcdef') {
      if (digit === token[at]) continue
      const changed = token.slice(0, at) + digit + token.slice(at + 1)
      if (opens(tokens, changed)) opened++
    }
  }
  // The same bytes with more padding, or with groups of other lengths.
  for (const other of [
    `${token}-${'10'.repeat(4)}-1010-1010-1010-${'10'.repeat(6)}`,
    token.toUpperCase(),
  ])
    if (opens(tokens, other)) opened++
  assert.equal(opened, 0)
})

void test('page token: one from the future is refused, beyond what clocks may differ', () => {
  const now = { value: 1_700_000_000_000 }
  const tokens = createPageTokens([key], clockAt(now))
  const token = tokens.seal(Uint8Array.of(1), binding)
  now.value -= 5_000
  assert.ok(opens(tokens, token))
  now.value -= 1_000
  assert.ok(!opens(tokens, token))
})

void test('page token: a retired key opens what it sealed before, never what it sealed later', () => {
  const now = { value: 1_700_000_000_000 }
  const before = createPageTokens([key], clockAt(now))
  const old = before.seal(Uint8Array.of(1), binding)
  now.value += 60_000
  const retiredAt = now.value / 1_000
  let keys = [key]
  const tokens = createPageTokens(() => keys, clockAt(now))
  assert.ok(opens(tokens, old))
  keys = [
    { id: 8, secret: new Uint8Array(32).fill(2) },
    { ...key, retiredAt },
  ] as never
  assert.ok(opens(tokens, old), 'sealed before the rotation')
  assert.ok(opens(tokens, tokens.seal(Uint8Array.of(1), binding)))
  now.value += 60_000
  assert.ok(!opens(tokens, before.seal(Uint8Array.of(1), binding)), 'sealed after it')
  now.value += 24 * 3_600_000
  assert.ok(!opens(tokens, old), 'a day later')
})

function opens(tokens: ReturnType<typeof createPageTokens>, token: string): boolean {
  try {
    tokens.open(token, binding)
    return true
  } catch (error) {
    assert.ok(error instanceof Fault)
    return false
  }
}

void test('page token: a new key opens at once, and seals once every process knows it', () => {
  const now = { value: 1_700_000_000_000 }
  const old = { id: 1, secret: new Uint8Array(32).fill(1), retiredAt: 1_700_000_010 }
  const made = { id: 2, secret: new Uint8Array(32).fill(2), startsAt: 1_700_000_010 }
  const knows = createPageTokens([made, old], clockAt(now))
  const knowsNotYet = createPageTokens([{ id: old.id, secret: old.secret }], clockAt(now))
  const cursor = Uint8Array.of(9)
  const sealer = (token: string): number | undefined => Buffer.from(token, 'base64url')[1]
  const early = knows.seal(cursor, binding)
  assert.equal(sealer(early), 1)
  assert.deepEqual(Uint8Array.from(knowsNotYet.open(early, binding) ?? []), cursor)
  now.value += 9_999
  assert.equal(sealer(knows.seal(cursor, binding)), 1)
  now.value += 1
  const late = knows.seal(cursor, binding)
  assert.equal(sealer(late), 2)
  for (const token of [early, late])
    assert.deepEqual(Uint8Array.from(knows.open(token, binding) ?? []), cursor)
  const alone = createPageTokens([{ ...made, startsAt: 1_800_000_000 }], clockAt(now))
  assert.equal(sealer(alone.seal(cursor, binding)), 2, 'the first key has no older one')
})
