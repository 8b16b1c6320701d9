/** What a release promised is there in each later one; see `docs/guide/compatibility.md`. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { promisedNames } from '../../scripts/promised-names.ts'
import { version } from '../../src/core/version.ts'

const released = new URL('../../vectors/stores/', import.meta.url)
const major = (of: string): string => of.slice(0, of.indexOf('.'))

void test('compatibility: no name of a release of this major version is gone or stands for something else', () => {
  const now = new Set(promisedNames())
  const same = readdirSync(released).filter((each) => major(each) === major(version))
  assert.ok(same.length > 0)
  for (const each of same) {
    const names = readFileSync(new URL(`${each}/names.txt`, released), 'utf8')
      .trim()
      .split('\n')
    assert.ok(names.length > 1_000, `${names.length} names`)
    assert.deepEqual(
      names.filter((name) => !now.has(name)),
      [],
      `of version ${each}: keep the old name beside the new one`,
    )
  }
})
