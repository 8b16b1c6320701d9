import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { compactText, goQuoted, scanJson, spanText } from './json-scan.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The message the scan of `text` ends with, or the text of the value. */
function scan(text: string): string {
  const bytes = bytesOf(text)
  const scanned = scanJson(bytes)
  return scanned.ok ? spanText(bytes, scanned.value) : scanned.message
}

void test('scan: finds the end of any JSON value, whatever follows it', () => {
  const property = fc.property(
    fc.json(),
    fc.constantFrom('', ' ', ' x', '\n{', ']'),
    (text, tail) => {
      const follows = /^-?\d/.test(text) && tail === '' ? ' ' : tail
      assert.equal(scan(text + follows), text)
    },
  )
  fc.assert(property, { numRuns: 500, seed: 1 })
})

void test('scan: accepts exactly what JSON.parse accepts, cut or changed at any place', () => {
  const property = fc.property(
    fc.json(),
    fc.nat(),
    fc.constantFrom(...Array.from('{}[],:"\\0e-.x \n')),
    (text, at, put) => {
      const place = at % (text.length + 1)
      for (const changed of [
        text.slice(0, place),
        text.slice(0, place) + put + text.slice(place + 1),
      ]) {
        // As an element of a list, so that what follows a value counts.
        const whole = `[${changed}]`
        const scanned = scanJson(bytesOf(whole))
        const accepted = scanned.ok && scanned.value.until === whole.length
        assert.equal(accepted, parses(whole), whole)
      }
    },
  )
  fc.assert(property, { numRuns: 2_000, seed: 1 })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

void test('scan: members of an object are those JSON.parse finds, in order', () => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const bytes = bytesOf(JSON.stringify(value))
    const scanned = scanJson(bytes)
    assert.ok(scanned.ok)
    const members = scanned.members.map(({ key, value: span }) => [
      key,
      JSON.parse(spanText(bytes, span)),
    ])
    assert.deepEqual(members, Object.entries(JSON.parse(JSON.stringify(value))))
  })
  fc.assert(property, { numRuns: 500, seed: 1 })
})

void test('scan: 64 levels are read, one more and 100,000 more are refused', () => {
  assert.equal(scan('['.repeat(64) + ']'.repeat(64)).length, 128)
  assert.equal(scan('['.repeat(65) + ']'.repeat(65)), 'exceeded max depth')
  assert.equal(scan('[{"a":'.repeat(100_000)), 'exceeded max depth')
})

void test('compact: space between tokens goes, space within texts stays', () => {
  const text = ' [ 1 ,\t{ "a b" : " \\" , " } ,\r\n -0 , 1e400 ] '
  const bytes = bytesOf(text)
  assert.equal(
    compactText(bytes, { from: 0, until: bytes.length }),
    '[1,{"a b":" \\" , "},-0,1e400]',
  )
})

void test('quoted: as Go writes it', () => {
  const cases = [
    ['plain é 雪', '"plain é 雪"'],
    ['"\\', String.raw`"\"\\"`],
    ['\n\t\u0007\u0000\u007f', String.raw`"\n\t\a\x00\x7f"`],
    ['\u00a0\u2028\u{e0001}', String.raw`"\u00a0\u2028\U000e0001"`],
  ] as const
  for (const [text, expected] of cases) assert.equal(goQuoted(text), expected)
})
