import assert from 'node:assert/strict'
import { test } from 'node:test'

import { seenSpends, seenUtxos } from '../../../../test/support/chains/seen-rows.ts'
import { outputKeyOf } from '../../../codec/primary/ids.ts'
import { Fault } from '../../../core/fault.ts'
import { packTraits } from '../../../store/schema/primary/holding.ts'
import { newAssetNumbers } from '../batch/asset-numbers.ts'
import { outputFlags, type KnownUtxo } from '../batch/ledger-rows.ts'
import type { RowBatch } from '../batch/rows.ts'
import { mostAhead, closeDraft, newDraft, type Draft } from './draft.ts'
import { amountAt } from './output-ring.ts'
import {
  closeBatch,
  createUtxo,
  importUtxo,
  isKnown,
  newUtxoSet,
  returnStake,
  spendUtxo,
  takeFound,
  type ImportSpend,
  type Mover,
  type NewUtxo,
  type UtxoSet,
} from './utxo-set.ts'

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
const spend = { txId, outputIndex: 0, assetId, amount: 5n }
const imported: ImportSpend = { ...spend, key: outputKeyOf(txId, 0), sourceChain: 'X' }

/** An output of this transaction as the store would have found it. */
function stored(change: Partial<KnownUtxo>): KnownUtxo {
  return {
    number: 9,
    txId,
    outputIndex: 0,
    amount: 5n,
    traits: packTraits({ asset: 1, kind: 0, needed: 1 }),
    addresses: owner.addresses,
    createdOn: 'P',
    consumableOn: 'P',
    createdAt: 1,
    flags: 0,
    ...change,
  }
}

function begin(found: readonly KnownUtxo[] = []): { readonly set: UtxoSet; readonly draft: Draft } {
  const assets = newAssetNumbers([{ number: 1, assetId }])
  const set = newUtxoSet('P', 10, { next: 10, assets })
  takeFound(set, { utxos: found, earlyImports: [] })
  return { set, draft: newDraft('P', { firstUtxo: 10, follows: undefined }) }
}

function moverOf(utxos: UtxoSet, draft: Draft, first?: number): Mover {
  return { utxos, draft, place, ...(first === undefined ? {} : { first }) }
}

function make(set: UtxoSet, draft: Draft, change: Partial<NewUtxo> = {}): number {
  return createUtxo(moverOf(set, draft), { ...output, ...change })
}

function closed(set: UtxoSet, draft: Draft): RowBatch {
  draft.from ??= 7
  closeBatch(set, draft)
  const l1 = { l1AccruedFees: 0n, l1FeeExcess: 0n, burned: 0n }
  const checkpoint = { chain: 'P', height: 7, blockId: txId, time: 70, nextUtxo: set.next } as const
  return closeDraft(draft, set.assets, { ...checkpoint, ...l1 })
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
  stops(/not an unspent output/, () => spendUtxo(moverOf(set, draft), spend))
  make(set, draft)
  stops(/exists already/, () => make(set, draft))
  assert.equal(amountAt(set.ring, spendUtxo(moverOf(set, draft), spend)), 5n)
  stops(/input is spent/, () => spendUtxo(moverOf(set, draft), spend))
  const batch = closed(set, draft)
  assert.equal(seenSpends(batch).length, 0, 'its row says it')
  assert.equal(seenUtxos(batch, set.assets)[0]?.consumed?.height, 7)
})

void test('UTXO set: what an input claims must be what the output is', () => {
  const { set, draft } = begin([stored({})])
  stops(/another asset/, () => spendUtxo(moverOf(set, draft), { ...spend, assetId: txId }))
  stops(/another amount/, () => spendUtxo(moverOf(set, draft), { ...spend, amount: 6n }))
  spendUtxo(moverOf(set, draft), { ...spend, amount: undefined })
  assert.deepEqual(
    seenSpends(closed(set, draft)).map(({ number, time }) => [number, time]),
    [[9, 70]],
  )
})

void test('UTXO set: stake is spent only after it returned', () => {
  const { set, draft } = begin([stored({ flags: outputFlags.staked })])
  stops(/locked as stake/, () => spendUtxo(moverOf(set, draft), spend))
  returnStake(moverOf(set, draft), spend)
  assert.deepEqual(draft.stakeReturns, [{ number: 9, txId, outputIndex: 0, time: 70 }])
  spendUtxo(moverOf(set, draft), spend)
  const plain = begin([stored({})])
  stops(/never staked/, () => returnStake(moverOf(plain.set, plain.draft), spend))
  const unknown = begin()
  returnStake(moverOf(unknown.set, unknown.draft), spend)
  assert.equal(unknown.draft.stakeReturns[0]?.number, undefined, 'the store knows it')
})

void test('UTXO set: what the store knows as spent stays spent', () => {
  const { set, draft } = begin([stored({ flags: outputFlags.spent })])
  stops(/input is spent/, () => spendUtxo(moverOf(set, draft), spend))
})

void test('UTXO set: an import is for this chain, from the chain it says, and once', () => {
  const { set, draft } = begin([stored({ createdOn: 'X' })])
  stops(/wrong chain/, () => importUtxo(moverOf(set, draft), { ...imported, sourceChain: 'C' }))
  assert.equal(importUtxo(moverOf(set, draft), imported)?.amount, 5n)
  stops(/imported twice/, () => importUtxo(moverOf(set, draft), imported))
  const other = begin([stored({ createdOn: 'X', consumableOn: 'C' })])
  stops(/wrong chain/, () => importUtxo(moverOf(other.set, other.draft), imported))
  const early = begin()
  assert.equal(importUtxo(moverOf(early.set, early.draft), imported), undefined)
  assert.equal(early.draft.earlyImports.length, 1)
  stops(/imported twice/, () => importUtxo(moverOf(early.set, early.draft), imported))
  const later = begin()
  takeFound(later.set, { utxos: [], earlyImports: early.draft.earlyImports })
  stops(/imported twice/, () => importUtxo(moverOf(later.set, later.draft), imported))
})

void test('UTXO set: an output of a closed batch is made once, and spent once as it was', () => {
  const { set, draft } = begin()
  make(set, draft)
  const first = closed(set, draft)
  const next = newDraft('P', { firstUtxo: set.next, follows: undefined })
  stops(/exists already/, () => make(set, next))
  stops(/another asset/, () => spendUtxo(moverOf(set, next), { ...spend, assetId: txId }))
  stops(/another amount/, () => spendUtxo(moverOf(set, next), { ...spend, amount: 6n }))
  spendUtxo(moverOf(set, next), spend)
  stops(/input is spent/, () => spendUtxo(moverOf(set, next), spend))
  assert.equal(seenUtxos(first, set.assets)[0]?.consumed, undefined, 'its batch is closed')
  const { spent, addresses } = closed(set, next).ledger
  assert.deepEqual([spent.number[0], spent.createdAt[0], spent.amount[0]], [10, 70, 5n])
  assert.equal(spent.traits[0], stored({}).traits)
  assert.deepEqual([...addresses.subarray(1, 21)], [...(owner.addresses[0] ?? [])])
})

void test('UTXO set: outputs of several addresses and of none are spent as others are', () => {
  const { set, draft } = begin()
  const two = [new Uint8Array(20).fill(8), new Uint8Array(20).fill(9)]
  make(set, draft, { owner: { ...owner, addresses: two } })
  make(set, draft, { outputIndex: 1, owner: { ...owner, addresses: [] } })
  closed(set, draft)
  const next = newDraft('P', { firstUtxo: set.next, follows: undefined })
  spendUtxo(moverOf(set, next), spend)
  spendUtxo(moverOf(set, next), { ...spend, outputIndex: 1 })
  const { spent, addresses } = closed(set, next).ledger
  assert.deepEqual([...spent.owners.until], [2, 2])
  assert.deepEqual([addresses[1], addresses[22]], [8, 9])
})

void test('UTXO set: an owner named twice stands once in what lists show', () => {
  const { set, draft } = begin()
  const [one = new Uint8Array(20)] = owner.addresses
  make(set, draft, { owner: { ...owner, addresses: [one, one.slice()] } })
  assert.deepEqual([...closed(set, draft).ledger.made.owners.until], [1])
  const next = newDraft('P', { firstUtxo: set.next, follows: 7 })
  spendUtxo(moverOf(set, next), spend)
  assert.deepEqual([...closed(set, next).ledger.spent.owners.until], [1])
})

void test('UTXO set: stake of a closed batch is spent only after it returned', () => {
  const { set, draft } = begin()
  make(set, draft, { staked: true })
  make(set, draft, { outputIndex: 1 })
  closed(set, draft)
  const next = newDraft('P', { firstUtxo: set.next, follows: undefined })
  stops(/locked as stake/, () => spendUtxo(moverOf(set, next), spend))
  stops(/never staked/, () => returnStake(moverOf(set, next), { txId, outputIndex: 1 }))
  returnStake(moverOf(set, next), spend)
  assert.equal(next.stakeReturns[0]?.number, 10)
  closed(set, next)
  assert.doesNotThrow(() =>
    spendUtxo(moverOf(set, newDraft('P', { firstUtxo: set.next, follows: undefined })), spend),
  )
})

void test('UTXO set: stake that came back may be spent before the store knows of it', () => {
  const { set, draft } = begin()
  const staked = stored({ flags: outputFlags.staked })
  returnStake(moverOf(set, draft), spend)
  const attempt = (later: Draft): void => {
    takeFound(set, { utxos: [staked], earlyImports: [] })
    spendUtxo(moverOf(set, later), spend)
  }
  assert.doesNotThrow(() => attempt(draft), 'in the same batch')
  // As many batches later as may be unwritten, from a ring that keeps nothing.
  for (let batch = 1; batch <= mostAhead; batch++) {
    const other = newUtxoSet('P', 0, { next: 10, assets: set.assets })
    let open = newDraft('P', { firstUtxo: 10, follows: 7 })
    returnStake(moverOf(other, open), spend)
    for (let end = 0; end < batch; end++) {
      closed(other, open)
      open = newDraft('P', { firstUtxo: 10, follows: 7 })
    }
    takeFound(other, { utxos: [staked], earlyImports: [] })
    assert.doesNotThrow(() => spendUtxo(moverOf(other, open), spend), `${batch} batches later`)
  }
  assert.ok(set.returned.length <= mostAhead + 1)
})

void test('UTXO set: what a batch spent stays spent, whatever the store says meanwhile', () => {
  const { set, draft } = begin([stored({})])
  spendUtxo(moverOf(set, draft), spend)
  takeFound(set, { utxos: [stored({})], earlyImports: [] })
  stops(/input is spent/, () => spendUtxo(moverOf(set, draft), spend))
  takeFound(set, { utxos: [stored({ createdOn: 'X', outputIndex: 1 })], earlyImports: [] })
  const other = { ...imported, outputIndex: 1, key: outputKeyOf(txId, 1) }
  importUtxo(moverOf(set, draft), other)
  takeFound(set, { utxos: [stored({ createdOn: 'X', outputIndex: 1 })], earlyImports: [] })
  stops(/imported twice/, () => importUtxo(moverOf(set, draft), other))
})

void test('UTXO set: of what is stored the newest are kept', () => {
  const { set, draft } = begin()
  for (let outputIndex = 0; outputIndex < 25; outputIndex++) make(set, draft, { outputIndex })
  closed(set, draft)
  for (let empty = 0; empty < 5; empty++) {
    closeBatch(set, newDraft('P', { firstUtxo: set.next, follows: 7 }))
  }
  for (let batch = 0; batch < mostAhead; batch++) {
    for (let outputIndex = 0; outputIndex < 25; outputIndex++) {
      assert.ok(isKnown(set, { txId, outputIndex }), 'its batch may not be stored yet')
    }
    closed(set, newDraft('P', { firstUtxo: set.next, follows: 7 }))
  }
  for (let outputIndex = 0; outputIndex < 25; outputIndex++) {
    assert.equal(isKnown(set, { txId, outputIndex }), outputIndex >= 15, `output ${outputIndex}`)
  }
})

void test('UTXO set: an output is a stray unless its name says where it is', () => {
  const { set, draft } = begin()
  const named = { ...output, txId: place.txId }
  createUtxo(moverOf(set, draft, 10), named)
  createUtxo(moverOf(set, draft, 10), { ...named, outputIndex: 2 })
  createUtxo(moverOf(set, draft, 10), { ...output, outputIndex: 2 })
  createUtxo(moverOf(set, draft), output)
  assert.deepEqual([...closed(set, draft).ledger.strays.number], [11, 12, 13])
})
