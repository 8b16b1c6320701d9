/**
 * One transaction being replayed, on any of the three chains: what it spends and emits, the sums of
 * it, whom it concerns.
 */

import { compareBytes } from '../../core/bytes.ts'
import { txBody, type TxBody } from '../../store/schema/primary-bodies.ts'
import { assetOf } from '../../store/schema/primary-holding.ts'
import { posOfPlace } from '../../store/schema/primary-position.ts'
import { addAmount, overdrawn, putRemainder, type Sums } from './amounts.ts'
import { violation } from './draft.ts'
import type { Draft, Mutable, Place } from './draft.ts'
import type { Owner } from './ledger-rows.ts'
import type { ReadTransaction } from './read-blocks.ts'
import { createUtxo, importUtxo, noteOwner, spendUtxo } from './utxo-set.ts'
import type { ImportSpend, Mover, NewUtxo, Spend, UtxoSet } from './utxo-set.ts'
import { amountAt, numberAt, traitsAt } from './utxo-table.ts'

/** A transaction being replayed. The lists and sums are those of its row. */
export type Step = Mover & {
  readonly row: Mutable<TxBody>
  readonly spent: number[]
  readonly consumed: Sums
  readonly value: Sums
  readonly burned: Sums
  readonly staked: Sums
}

const none: readonly never[] = []

/** Begins a transaction; its row is written by {@link endStep}. */
export function beginStep(
  utxos: UtxoSet,
  draft: Draft,
  place: Place,
  {
    unsigned,
  }: Pick<ReadTransaction<{ readonly typeId: number; readonly memo?: Uint8Array }>, 'unsigned'>,
): Step {
  const { memo } = unsigned
  const spent: number[] = []
  const consumed: Sums = []
  const value: Sums = []
  const burned: Sums = []
  const staked: Sums = []
  const row: Mutable<TxBody> = {
    typeId: unsigned.typeId,
    time: place.time,
    committed: true,
    firstUtxo: utxos.next,
    utxoCount: 0,
    spent,
    consumed,
    value,
    burned,
    staked,
    memo: memo === undefined || memo.length === 0 ? undefined : memo,
    sourceChain: undefined,
    destinationChain: undefined,
    evmInputs: none,
    evmOutputs: none,
    nodeId: undefined,
    subnetId: undefined,
    stakingTxId: undefined,
    startTime: undefined,
    endTime: undefined,
    delegationShares: undefined,
    rewardAddresses: none,
    publicKey: undefined,
    proofOfPossession: undefined,
    l1BalanceBurned: undefined,
    subnetOwner: undefined,
    managerChainId: undefined,
    managerAddress: undefined,
  }
  const first = utxos.next
  return { utxos, draft, place, first, row, owners: [], spent, consumed, value, burned, staked }
}

/** Writes the transaction's row into the batch. */
export function endStep(step: Step): void {
  const { row, place, utxos } = step
  const { ledger } = step.draft
  row.utxoCount = utxos.next - row.firstUtxo
  putRemainder(step.burned, step.consumed, step.value)
  sortById(utxos, step.consumed)
  sortById(utxos, step.value)
  sortById(utxos, step.burned)
  sortById(utxos, step.staked)
  ledger.utxoRows.end()
  const from = ledger.arena.used
  txBody.append(ledger.arena, row)
  ledger.txBody.pushFrom(from)
  ledger.txIds.push(place.txId)
  ledger.txPos.push(posOfPlace(place))
  ledger.txType.push(row.typeId)
  for (const owner of step.owners) ledger.txOwners.push(owner)
  ledger.txOwners.end()
}

function sortById({ assets }: UtxoSet, sums: Sums): void {
  if (sums.length < 2) return
  sums.sort((a, b) => compareBytes(assets.idOf(a.asset), assets.idOf(b.asset)))
}

/** Throws `state-violation` when more is emitted than spent of any asset. */
export function checkFlow(step: Step): void {
  const over = overdrawn(step.consumed, step.value)
  if (over !== undefined) throw violation(step.place, `outputs exceed inputs: ${over}`)
}

/** Notes that a transaction concerns addresses. */
export function concern(step: Step, addresses: readonly Uint8Array[]): void {
  for (const address of addresses) {
    noteOwner(step, step.draft.ledger.addresses.placeOf(address, 0))
  }
}

/** Notes that a transaction concerns an EVM account. */
export function concernAccount(step: Step, address: Uint8Array): void {
  noteOwner(step, step.draft.ledger.addresses.placeOfAccount(address))
}

/** Spends an output of this chain. */
export function spend(step: Step, spending: Spend): void {
  const { table } = step.utxos
  const entry = spendUtxo(step, spending)
  step.spent.push(numberAt(table, entry))
  const amount = amountAt(table, entry)
  if (amount > 0n) addAmount(step.consumed, assetOf(traitsAt(table, entry)), amount)
}

/** Imports an output of another chain. */
export function spendImport(step: Step, spending: ImportSpend): void {
  const spent = importUtxo(step, spending)
  if (spent !== undefined) step.spent.push(spent.number)
  addAmount(step.consumed, step.utxos.assets.of(spending.assetId), spending.amount)
}

/** Emits an output and gives its number. */
export function emit(step: Step, made: NewUtxo): number {
  const { amount } = made
  if (amount > 0n) addAmount(step.value, step.utxos.assets.of(made.assetId), amount)
  return createUtxo(step, made)
}

/** An owner's three fields alone, off a record that has more. */
export function ownerOf(record: Owner): Owner {
  return {
    locktime: record.locktime,
    threshold: record.threshold,
    addresses: record.addresses,
  }
}
