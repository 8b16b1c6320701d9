import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { parseManifest } from './manifest.ts'

const name = 'ab'.repeat(16)

void test('manifest: what was never written is a fault', () => {
  assert.deepEqual(parseManifest(`[[0,5,"${name}",0],[5,9,"${name}",1]]`).segments.length, 2)
  for (const text of [
    '{',
    '{}',
    '[1]',
    `[[0,5,"${name}",0],[6,9,"${name}",0]]`,
    `[[0,5,"${name}",0],[4,9,"${name}",0]]`,
    `[[5,5,"${name}",0]]`,
    `[[-1,5,"${name}",0]]`,
    `[[0,5.5,"${name}",0]]`,
    `[[0,1e300,"${name}",0]]`,
    `[[0,5,"../${name}",0]]`,
    `[[0,5,"${name}",-1]]`,
    `[[0,5,"${name}","0"]]`,
  ])
    assert.throws(() => parseManifest(text), Fault, text)
})
