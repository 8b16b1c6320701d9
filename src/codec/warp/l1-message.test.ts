import assert from 'node:assert/strict'
import { test } from 'node:test'

import { vectors } from '../../../test/support/chains/primary-vectors.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { sha256 } from '../../core/hash.ts'
import { decode, encode, type Format } from '../cursor.ts'
import { conversionData, l1Message } from './l1-message.ts'

void test('L1 messages: upstream test bytes decode, and their hashes are the ids', () => {
  for (const entry of vectors('warp-l1-messages')) {
    const bytes = fromHex(entry.hex)
    const format: Format<unknown> = entry.name.startsWith('subnetToL1ConversionData')
      ? conversionData
      : l1Message
    assert.equal(toHex(encode(format, decode(format, bytes))), toHex(bytes), entry.name)
    const { sha256: expected } = JSON.parse(JSON.stringify(entry))
    if (expected !== undefined) assert.equal(toCb58(sha256(bytes)), expected, entry.name)
  }
})
