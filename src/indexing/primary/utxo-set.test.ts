import assert from 'node:assert/strict'
import { test } from 'node:test'

import { outputKeyOf } from '../../codec/primary/ids.ts'
import { Fault } from '../../core/fault.ts'
import { newDraft } from './draft.ts'
import type { Draft } from './draft.ts'
import type { KnownUtxo } from './ledger-rows.ts'
import {
  closeBatch,
  createUtxo,
  importUtxo,
  isKnown,
  newUtxoSet,
  returnStake,
  spendUtxo,
  takeFound,
} from './utxo-set.ts'
import type { NewUtxo, Spend, UtxoSet } from './utxo-set.ts'

const txId = new Uint8Array(32).fill(1)
const assetId = new Uint8Array(32).fill(2)
const owner = { locktime: 0n, threshold: 1, addresses: [new Uint8Array(20).fill(3)] }
const place = {
  chain: 'P',
  height: 7,
  position: 0,
  time: 70,
  txId: new Uint8Array(32).fill(4),
} as const

const output: NewUtxo = {
  txId,
  outputIndex: 0,
  assetId,
  outputType: 7,
  amount: 5n,
  owner,
  stakeableLocktime: 0n,
}
const spend: Spend & { readonly amount: bigint } = {
  key: outputKeyOf(txId, 0),
  txId,
  outputIndex: 0,
  assetId,
  amount: 5n,
}

/** An output of this transaction as the store would have found it. */
function stored(change: Partial<KnownUtxo>): KnownUtxo {
  return {
    number: 9,
    txId,
    outputIndex: 0,
    assetId,
    outputType: 7,
    amount: 5n,
    owner,
    stakeableLocktime: 0n,
    createdOn: 'P',
    consumableOn: 'P',
    createdTime: 1,
    staked: false,
    returned: undefined,
    consumed: undefined,
    ...change,
  }
}

function begin(found: readonly KnownUtxo[] = []): { readonly set: UtxoSet; readonly draft: Draft } {
  const set = newUtxoSet('P', 10, 10)
  takeFound(set, { utxos: found, earlyImports: [] })
  return { set, draft: newDraft('P', 10) }
}

function stops(message: RegExp, run: () => unknown): void {
  assert.throws(
    run,
    (error) =>
      error instanceof Fault &&
      error.code === 'state-violation' &&
      message.test(error.message) &&
      error.detail['height'] === 7 &&
      error.detail['chain'] === 'P',
    String(message),
  )
}

void test('UTXO set: an output is made once and spent once', () => {
  const { set, draft } = begin()
  stops(/not an unspent output/, () => spendUtxo(set, draft, place, spend))
  createUtxo(set, draft, place, output)
  stops(/exists already/, () => createUtxo(set, draft, place, output))
  assert.equal(spendUtxo(set, draft, place, spend).amount, 5n)
  stops(/not an unspent output/, () => spendUtxo(set, draft, place, spend))
  assert.equal(draft.consumptions.length, 0, 'its row says it')
  assert.equal(draft.utxos[0]?.consumed?.height, 7)
})

void test('UTXO set: what an input claims must be what the output is', () => {
  const { set, draft } = begin([stored({})])
  stops(/another asset/, () => spendUtxo(set, draft, place, { ...spend, assetId: txId }))
  stops(/another amount/, () => spendUtxo(set, draft, place, { ...spend, amount: 6n }))
  assert.equal(spendUtxo(set, draft, place, { ...spend, amount: undefined }).amount, 5n)
  assert.equal(draft.consumptions.length, 1)
})

void test('UTXO set: stake is spent only after it returned', () => {
  const { set, draft } = begin([stored({ staked: true })])
  stops(/locked as stake/, () => spendUtxo(set, draft, place, spend))
  returnStake(set, draft, place, spend)
  assert.equal(draft.stakeReturns.length, 1)
  assert.equal(spendUtxo(set, draft, place, spend).amount, 5n)
  const plain = begin([stored({})])
  stops(/never staked/, () => returnStake(plain.set, plain.draft, place, spend))
})

void test('UTXO set: what the store knows as spent stays spent', () => {
  const consumed = { chain: 'P', height: 3, position: 0, time: 30, txId } as const
  const { set, draft } = begin([stored({ consumed })])
  stops(/input is spent/, () => spendUtxo(set, draft, place, spend))
})

void test('UTXO set: an import is for this chain, from the chain it says, and once', () => {
  const from = { ...spend, sourceChain: 'X' } as const
  const { set, draft } = begin([stored({ createdOn: 'X' })])
  stops(/wrong chain/, () => importUtxo(set, draft, place, { ...from, sourceChain: 'C' }))
  assert.equal(importUtxo(set, draft, place, from)?.amount, 5n)
  stops(/imported twice/, () => importUtxo(set, draft, place, from))
  const other = begin([stored({ createdOn: 'X', consumableOn: 'C' })])
  stops(/wrong chain/, () => importUtxo(other.set, other.draft, place, from))
  const early = begin()
  assert.equal(importUtxo(early.set, early.draft, place, from), undefined)
  assert.equal(early.draft.earlyImports.length, 1)
  stops(/imported twice/, () => importUtxo(early.set, early.draft, place, from))
  const known = early.draft.earlyImports
  const later = newUtxoSet('P', 10, 10)
  takeFound(later, { utxos: [], earlyImports: known })
  stops(/imported twice/, () => importUtxo(later, newDraft('P', 10), place, from))
})

void test('UTXO set: an output of a closed batch is made once, and spent once as it was', () => {
  const { set, draft } = begin()
  createUtxo(set, draft, place, output)
  closeBatch(set)
  const next = newDraft('P', set.next)
  stops(/exists already/, () => createUtxo(set, next, place, output))
  stops(/another asset/, () => spendUtxo(set, next, place, { ...spend, assetId: txId }))
  stops(/another amount/, () => spendUtxo(set, next, place, { ...spend, amount: 6n }))
  const spent = spendUtxo(set, next, place, spend)
  assert.deepEqual(spent, stored({ number: 10, createdTime: 70 }))
  stops(/not an unspent output/, () => spendUtxo(set, next, place, spend))
  assert.equal(draft.utxos[0]?.consumed, undefined, 'its batch is closed')
  assert.deepEqual(
    next.consumptions.map(({ utxo, consumed }) => [utxo.number, consumed.height]),
    [[10, 7]],
  )
})

void test('UTXO set: stake of a closed batch is spent only after it returned', () => {
  const { set, draft } = begin()
  createUtxo(set, draft, place, { ...output, staked: true })
  createUtxo(set, draft, place, { ...output, outputIndex: 1 })
  closeBatch(set)
  const next = newDraft('P', set.next)
  stops(/locked as stake/, () => spendUtxo(set, next, place, spend))
  stops(/never staked/, () => returnStake(set, next, place, { txId, outputIndex: 1 }))
  returnStake(set, next, place, spend)
  assert.equal(next.stakeReturns.length, 1)
  assert.equal(draft.utxos[0]?.returned, undefined, 'its batch is closed')
  closeBatch(set)
  const last = newDraft('P', set.next)
  assert.equal(spendUtxo(set, last, place, spend).returned?.time, 70)
})

void test('UTXO set: what is spent is not known to the next batch', () => {
  const consumed = { chain: 'P', height: 3, position: 0, time: 30, txId } as const
  const { set, draft } = begin([stored({ consumed })])
  createUtxo(set, draft, place, { ...output, outputIndex: 1 })
  spendUtxo(set, draft, place, { ...spend, key: outputKeyOf(txId, 1), outputIndex: 1 })
  closeBatch(set)
  assert.ok(!isKnown(set, spend.key))
  assert.ok(!isKnown(set, outputKeyOf(txId, 1)))
})

void test('UTXO set: closing a batch keeps the newest', () => {
  const { set, draft } = begin()
  for (let outputIndex = 0; outputIndex < 25; outputIndex++) {
    createUtxo(set, draft, place, { ...output, outputIndex })
  }
  closeBatch(set)
  for (let outputIndex = 0; outputIndex < 25; outputIndex++) {
    const isNew = outputIndex >= 15
    assert.equal(isKnown(set, outputKeyOf(txId, outputIndex)), isNew, `output ${outputIndex}`)
  }
})
