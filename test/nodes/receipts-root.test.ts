/** The receipts root against the headers of a real EVM, and against altered receipts. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { checkReceipts } from '../../src/codec/evm/proof/check-receipts.ts'
import type { RawUnit } from '../../src/codec/evm/raw.ts'
import { toHex } from '../../src/core/bytes.ts'
import { Fault } from '../../src/core/fault.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { orderedRoot } from '../support/chains/ordered-root.ts'

const recording = openRecording(
  await readFile(new URL('../../demo/chain-51002.firnrec', import.meta.url)),
)
const units = await recording.blocks(recording.heights, (all) => all, new AbortController().signal)

void test('receipts: those of every recorded block are what its header says', () => {
  for (const [height, unit] of units.entries()) checkReceipts(unit, height)
})

void test('receipts: a change of anything the chain commits to is found', () => {
  const busy = units.findIndex((unit) => JSON.stringify(unit.receipts).includes('"topics":["0x'))
  const changes: [string, (text: string) => string][] = [
    ['status', (text) => text.replace('"status":"0x1"', '"status":"0x0"')],
    ['amount', (text) => text.replace(/("data":"0x.*?)1/, '$12')],
    ['topic', (text) => text.replace(/("topics":\["0x)./, '$1e')],
    ['gas', (text) => text.replace(/("cumulativeGasUsed":"0x)./, '$1f')],
    ['type', (text) => text.replace(/"type":"0x[02]"/, '"type":"0x1"')],
    ['log address', (text) => text.replace(/("address":"0x)./, '$1e')],
    ['bloom', (text) => text.replace(/("logsBloom":"0x)../, '$1ee')],
    ['all logs', (text) => text.replace(/"logs":\[\{.*?\}\]/, '"logs":[]')],
    ['a receipt', (text) => `[${text.slice(text.indexOf('},{') + 2)}`],
  ]
  const unit = units[busy]
  assert.ok(unit)
  for (const [name, change] of changes) {
    const text = JSON.stringify(unit.receipts)
    const changed = change(text)
    assert.notEqual(changed, text, name)
    const altered: RawUnit = { block: unit.block, receipts: JSON.parse(changed) }
    assert.throws(
      () => checkReceipts(altered, busy),
      (error) => error instanceof Fault && error.code === 'node-answer',
      name,
    )
  }
})

void test('receipts: blocks with more than 127 of them, whose keys are longer, too', async () => {
  const large = openRecording(
    await readFile(new URL('../../demo/chain-51001.firnrec', import.meta.url)),
  )
  let most = 0
  await large.blocks(
    large.heights,
    (all) => {
      for (const [height, unit] of all.entries()) {
        if (unit.receipts.length < 100) continue
        checkReceipts(unit, height)
        most = Math.max(most, unit.receipts.length)
      }
    },
    new AbortController().signal,
  )
  assert.ok(most > 128, `receipts: ${most}`)
})

void test('receipts: none have the root every empty block has', () => {
  assert.equal(
    toHex(orderedRoot([])),
    '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  )
})
