import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import { parseManifest } from './manifest.ts'

const name = 'ab'.repeat(16)

void test('manifest: what was never written is a fault', () => {
  const whole = `[["blocks",0,5,"${name}",0],["blocks",5,9,"${name}",1],["traces",2,4,"${name}",0]]`
  assert.deepEqual(parseManifest(whole).segments.length, 3)
  for (const text of [
    '{',
    '{}',
    '[1]',
    `[["blocks",0,5,"${name}",0],["blocks",6,9,"${name}",0]]`,
    `[["blocks",0,5,"${name}",0],["blocks",4,9,"${name}",0]]`,
    `[["logs",0,5,"${name}",0]]`,
    `[[0,5,"${name}",0]]`,
    `[["blocks",5,5,"${name}",0]]`,
    `[["blocks",-1,5,"${name}",0]]`,
    `[["blocks",0,5.5,"${name}",0]]`,
    `[["blocks",0,1e300,"${name}",0]]`,
    `[["blocks",0,5,"../${name}",0]]`,
    `[["blocks",0,5,"${name}",-1]]`,
    `[["blocks",0,5,"${name}","0"]]`,
  ])
    assert.throws(() => parseManifest(text), Fault, text)
})
