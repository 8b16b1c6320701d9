/**
 * One transaction being replayed, on any of the three chains: what it spends and emits, the sums of
 * it, whom it concerns.
 */

import { addAddresses, addAmount, newAddressSet, overdrawn, remainder } from './amounts.ts'
import type { AddressSet, Sums } from './amounts.ts'
import { violation } from './draft.ts'
import type { Draft, Mutable, Place } from './draft.ts'
import type { ChainName, Owner, TransactionRow } from './ledger-rows.ts'
import type { ReadTransaction } from './read-blocks.ts'
import { createUtxo, importUtxo, spendUtxo } from './utxo-set.ts'
import type { NewUtxo, Spend, UtxoSet } from './utxo-set.ts'

/** A transaction being replayed. */
export type Step = {
  readonly utxos: UtxoSet
  readonly draft: Draft
  readonly place: Place
  readonly row: Mutable<TransactionRow>
  readonly addresses: AddressSet
  readonly spent: number[]
  readonly consumed: Sums
  readonly value: Sums
  readonly staked: Sums
}

const noBytes = new Uint8Array(0)
const noSides: TransactionRow['evmInputs'] = []
const noAddresses: readonly Uint8Array[] = []

/** Begins a transaction; its row is complete once {@link endStep} ran. */
export function beginStep(
  utxos: UtxoSet,
  draft: Draft,
  place: Place,
  read: ReadTransaction<{ readonly typeId: number; readonly memo?: Uint8Array }>,
): Step {
  const row: Mutable<TransactionRow> = {
    chain: place.chain,
    height: place.height,
    position: place.position,
    txId: read.txId,
    typeId: read.unsigned.typeId,
    committed: true,
    time: place.time,
    memo: read.unsigned.memo ?? noBytes,
    sizeBytes: read.sizeBytes,
    addresses: noAddresses,
    evmAddresses: noAddresses,
    firstUtxo: utxos.next,
    utxoCount: 0,
    spent: [],
    consumed: [],
    value: [],
    burned: [],
    staked: [],
    l1BalanceBurned: 0n,
    sourceChain: undefined,
    destinationChain: undefined,
    nodeId: undefined,
    subnetId: undefined,
    startTime: undefined,
    endTime: undefined,
    delegationShares: undefined,
    stakingTxId: undefined,
    rewardAddresses: noAddresses,
    subnetOwner: undefined,
    publicKey: undefined,
    proofOfPossession: undefined,
    managerChainId: undefined,
    managerAddress: undefined,
    evmInputs: noSides,
    evmOutputs: noSides,
  }
  return {
    utxos,
    draft,
    place,
    row,
    addresses: newAddressSet(),
    spent: [],
    consumed: [],
    value: [],
    staked: [],
  }
}

/** Writes sums, addresses and UTXOs into the row and the row into the batch. */
export function endStep(step: Step): void {
  const { row } = step
  row.addresses = step.addresses.list
  row.utxoCount = step.utxos.next - row.firstUtxo
  row.spent = step.spent
  row.consumed = step.consumed
  row.value = step.value
  row.staked = step.staked
  row.burned = remainder(step.consumed, step.value)
  step.draft.transactions.push(row)
}

/** Throws `state-violation` when more is emitted than spent of any asset. */
export function checkFlow(step: Step): void {
  const over = overdrawn(step.consumed, step.value)
  if (over !== undefined) {
    throw violation(step.place, `outputs exceed inputs: ${over.amount}`)
  }
}

/** Spends an output of this chain. */
export function spend(step: Step, spending: Spend): void {
  const spent = spendUtxo(step.utxos, step.draft, step.place, spending)
  step.spent.push(spent.number)
  addAddresses(step.addresses, spent.owner.addresses)
  if (spent.amount > 0n) addAmount(step.consumed, spent.assetId, spent.amount)
}

/** Imports an output of another chain. */
export function spendImport(
  step: Step,
  spending: Spend & { readonly amount: bigint; readonly sourceChain: ChainName },
): void {
  const spent = importUtxo(step.utxos, step.draft, step.place, spending)
  if (spent !== undefined) {
    step.spent.push(spent.number)
    addAddresses(step.addresses, spent.owner.addresses)
  }
  addAmount(step.consumed, spending.assetId, spending.amount)
}

/** Emits an output and gives its number. */
export function emit(step: Step, made: NewUtxo): number {
  const { number } = createUtxo(step.utxos, step.draft, step.place, made)
  addAddresses(step.addresses, made.owner.addresses)
  if (made.amount > 0n) addAmount(step.value, made.assetId, made.amount)
  return number
}

/** An owner's three fields alone, off a record that has more. */
export function ownerOf(record: Owner): Owner {
  return {
    locktime: record.locktime,
    threshold: record.threshold,
    addresses: record.addresses,
  }
}
