import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyTruncationFails, vectors } from '../../../test/support/chains/primary-vectors.ts'
import { fromHex, to0x, toHex } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault } from '../../core/fault.ts'
import { decode, encode } from '../cursor.ts'
import { outerBlock, outerBlockIdOf, proposerOf } from './outer-block.ts'

void test('outer blocks: upstream test bytes give ids, proposers and times', () => {
  const kinds: Readonly<Record<string, number>> = { block: 0, option: 1, graniteBlock: 2 }
  for (const entry of vectors('proposervm-blocks')) {
    const bytes = fromHex(entry.hex)
    const expected: Record<string, string> = JSON.parse(JSON.stringify(entry.decoded))
    if (expected['error'] !== undefined) {
      assert.throws(() => decode(outerBlock, bytes), Fault)
      continue
    }
    const block = decode(outerBlock, bytes)
    assert.equal(block.typeId, kinds[expected['type'] ?? ''])
    assert.equal(toCb58(outerBlockIdOf(block, bytes)), expected['id'], entry.name)
    assert.equal(to0x(block.inner), expected['innerHex'])
    const proposer = proposerOf(block)
    if (expected['nodeId'] !== undefined) {
      assert.equal(proposer === undefined ? '' : toNodeId(proposer), expected['nodeId'])
    }
    assert.equal(toHex(encode(outerBlock, block)), toHex(bytes))
    everyTruncationFails(outerBlock, bytes, entry.name)
  }
})
