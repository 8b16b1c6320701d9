import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyTruncationFails, vectors } from '../../../test/support/chains/primary-vectors.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { parseId, toCb58 } from '../../core/cb58.ts'
import { decode, encode, type Format } from '../cursor.ts'
import { versioned } from '../kit.ts'
import { convertedValidationId } from '../warp/l1-message.ts'
import { pUtxo } from './genesis.ts'
import { utxoIdOf } from './ids.ts'
import { signatures, transferInput, transferOutput } from './secp.ts'

void test('UTXOs: the bytes nodes give decode, encode back and hash to their ids', () => {
  const entries = vectors('utxos')
  assert.equal(entries.length, 22)
  for (const entry of entries) {
    const bytes = fromHex(entry.hex)
    const utxo = decode(pUtxo, bytes)
    assert.equal(toCb58(utxoIdOf(utxo.txId, utxo.outputIndex)), entry.utxoID)
    const expected: { out: { amount: string } } = JSON.parse(JSON.stringify(entry.decoded))
    assert.equal(utxo.output.typeId, 7)
    if (utxo.output.typeId === 7) assert.equal(String(utxo.output.amount), expected.out.amount)
    assert.equal(toHex(encode(pUtxo, utxo)), toHex(bytes))
    everyTruncationFails(pUtxo, bytes, entry.name)
  }
})

void test('ids: UTXO and conversion validation ids follow upstream', () => {
  const [ids]: [
    {
      conversionValidationIDs: { subnetIDHex: string; index0: string; index1: string }
      utxoID: { utxoID: string; outputIndex1: string }
      fujiRewardUtxo: { stakingTxID: string; utxoID: string; outputIndex: number }
    },
  ] = JSON.parse(JSON.stringify(vectors('ids')))
  const subnet = fromHex(ids.conversionValidationIDs.subnetIDHex)
  assert.equal(toCb58(convertedValidationId(subnet, 0)), ids.conversionValidationIDs.index0)
  assert.equal(toCb58(convertedValidationId(subnet, 1)), ids.conversionValidationIDs.index1)
  assert.equal(toCb58(utxoIdOf(new Uint8Array(32), 0)), ids.utxoID.utxoID)
  assert.equal(toCb58(utxoIdOf(new Uint8Array(32), 1)), ids.utxoID.outputIndex1)
  const { stakingTxID, utxoID, outputIndex } = ids.fujiRewardUtxo
  assert.equal(toCb58(utxoIdOf(parseId(stakingTxID), outputIndex)), utxoID)
})

void test('secp256k1 pieces: upstream test bytes decode and encode back', () => {
  const formats: Readonly<Record<string, Format<unknown>>> = {
    'transfer_output_test.go expected': transferOutput,
    'transfer_input_test.go expected': transferInput,
    'credential_test.go expected': signatures,
  }
  let seen = 0
  for (const entry of vectors('primitives')) {
    const format = formats[entry.name]
    if (format === undefined) continue
    const bytes = fromHex(entry.hex)
    const alone = versioned(format)
    assert.equal(toHex(encode(alone, decode(alone, bytes))), toHex(bytes), entry.name)
    everyTruncationFails(alone, bytes, entry.name)
    seen++
  }
  assert.equal(seen, 3)
})
