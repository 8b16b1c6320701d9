/**
 * One transaction being replayed, on any of the three chains: what it spends and emits, the sums of
 * it, whom it concerns.
 *
 * Only who begins and ends a transaction holds all of its {@link Step}. Every other function names in
 * its parameter what it may touch: {@link At} its place, {@link Fills} fields of its row,
 * {@link Concerns} the addresses it is listed under, {@link Moves} outputs and sums, `Adds` lists of
 * the batch.
 */

import { compareBytes, equalBytes, keyOf } from '../../../core/bytes.ts'
import { xTypes } from '../../../core/type-ids.ts'
import type { TxBody } from '../../../store/schema/primary/bodies.ts'
import { assetOf } from '../../../store/schema/primary/holding.ts'
import { posOfPlace } from '../../../store/schema/primary/position.ts'
import type { Owner } from '../batch/ledger-rows.ts'
import { violation, type Adds, type Draft, type Mutable, type Place } from './draft.ts'
import { amountAt, numberAt, traitsAt } from './output-ring.ts'
import type { ReadTransaction } from './read-blocks.ts'
import {
  createUtxo,
  importUtxo,
  noteOwner,
  spendUtxo,
  type ImportSpend,
  type Mover,
  type NewUtxo,
  type Spend,
  type UtxoSet,
} from './utxo-set.ts'

/** A transaction being replayed, and its row, whose sums grow with it. */
export type Step = Omit<Mover, 'draft'> &
  Moves &
  Fills<keyof Description> & { readonly draft: Draft; readonly row: Counted }

/** May read where the transaction is. */
export type At = Pick<Mover, 'place'>

/** May fill in fields of the transaction's own row. */
export type Fills<K extends keyof Description> = { readonly row: Pick<Description, K> }

/** May list the transaction under addresses. */
export type Concerns = Pick<Mover, 'owners'> & Adds<'ledger'>

/** May spend, import and emit, which moves the sums of the row. */
export type Moves = Mover & {
  readonly row: Record<SumName, Sums> & { spent: number[] }
  /** Assets it touches without an amount: rights to mint, NFTs. */
  bare: number[] | undefined
}

type SumName = 'consumed' | 'value' | 'burned' | 'staked'
type CountName = 'firstUtxo' | 'utxoCount'
type Counted = Mutable<Pick<TxBody, CountName>>
type Description = Mutable<Omit<TxBody, SumName | CountName | 'spent'>>

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
  const row: Step['row'] = {
    typeId: unsigned.typeId,
    time: place.time,
    committed: true,
    firstUtxo: utxos.next,
    utxoCount: 0,
    spent: [],
    consumed: noSums,
    value: noSums,
    burned: noSums,
    staked: noSums,
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
    period: undefined,
    autoCompoundRewardShares: undefined,
    validatorAuthority: undefined,
  }
  const first = utxos.next
  return { utxos, draft, place, first, row, owners: draft.ledger.txOwners, bare: undefined }
}

/** Writes the transaction's row into the batch. */
export function endStep(step: Step): void {
  const { row, place, utxos, draft, bare } = step
  const { ledger } = draft
  row.utxoCount = utxos.next - row.firstUtxo
  // AVAX in less AVAX out; a reward, which spends nothing, is minted and burns nothing.
  const spent = amountOf(row.consumed, avax)
  draft.burned += spent === 0n ? 0n : spent - amountOf(row.value, avax)
  // By asset, where more than nothing is left.
  let left = noSums
  for (const { asset, amount } of row.consumed) {
    const rest = amount - amountOf(row.value, asset)
    if (rest > 0n) left = withAmount(left, asset, rest)
  }
  row.burned = sortedById(utxos, left)
  row.consumed = sortedById(utxos, row.consumed)
  row.value = sortedById(utxos, row.value)
  row.staked = sortedById(utxos, row.staked)
  ledger.pushTransaction({ pos: posOfPlace(place), txId: place.txId, type: row.typeId }, row)
  if (place.chain === 'X') {
    // It is listed under its assets, under AVAX only where it is not an ordinary transfer.
    const moved = new Set([...row.consumed, ...row.value].map(({ asset }) => asset))
    for (const asset of bare ?? none) moved.add(asset)
    for (const asset of moved) {
      if (asset === avax && row.typeId === xTypes.BaseTx) continue
      draft.assetTransactions.push({ asset, pos: posOfPlace(place), type: row.typeId })
    }
  }
}

// AVAX has number 1 in every store; nearly every transaction of the X-Chain moves it.
const avax = 1

function noteBare(step: Moves, asset: number): void {
  if (step.bare === undefined) step.bare = [asset]
  else step.bare.push(asset)
}

function sortedById({ assets }: UtxoSet, sums: Sums): Sums {
  if (sums.length < 2) return sums
  return sums.toSorted((a, b) => compareBytes(assets.idOf(a.asset), assets.idOf(b.asset)))
}

/** Throws `state-violation` when more is emitted than spent of any asset. */
export function checkFlow({ row, place }: Moves): void {
  const over = overdrawn(row.consumed, row.value)
  if (over !== undefined) throw violation(place, `outputs exceed inputs: ${over}`)
}

/** Notes that a transaction concerns addresses. */
export function concern(step: Concerns, addresses: readonly Uint8Array[]): void {
  for (const address of addresses) {
    noteOwner(step, step.draft.ledger.addresses.placeOf(address, 0))
  }
}

/** Notes that a transaction concerns an EVM account. */
export function concernAccount(step: Concerns, address: Uint8Array): void {
  noteOwner(step, step.draft.ledger.addresses.placeOfAccount(address))
}

/** Adds to the amounts a transaction consumes. */
export function addConsumed({ row }: Moves, asset: number, amount: bigint): void {
  row.consumed = withAmount(row.consumed, asset, amount)
}

/** Adds to the amounts a transaction emits. */
export function addValue({ row }: Moves, asset: number, amount: bigint): void {
  row.value = withAmount(row.value, asset, amount)
}

function noteInput({ row }: Moves, number: number): void {
  if (row.spent.length === 0) row.spent = [number]
  else row.spent.push(number)
}

/** Spends an output of this chain. */
export function spend(step: Moves, spending: Spend): void {
  const { ring } = step.utxos
  const entry = spendUtxo(step, spending)
  noteInput(step, numberAt(ring, entry))
  const amount = amountAt(ring, entry)
  const asset = assetOf(traitsAt(ring, entry))
  if (amount > 0n) addConsumed(step, asset, amount)
  else noteBare(step, asset)
}

/** Imports an output of another chain. */
export function spendImport(step: Moves, spending: ImportSpend): void {
  const spent = importUtxo(step, spending)
  if (spent !== undefined) noteInput(step, spent.number)
  addConsumed(step, step.utxos.assets.of(spending.assetId), spending.amount)
}

/** Emits an output and gives its number. */
export function emit(step: Moves, made: NewUtxo): number {
  const { amount } = made
  const asset = step.utxos.assets.of(made.assetId)
  if (amount > 0n) addValue(step, asset, amount)
  else noteBare(step, asset)
  return createUtxo(step, made)
}

/** An owner's three fields alone, off a record that has more. */
export function ownerOf(record: Owner): Owner {
  return { locktime: record.locktime, threshold: record.threshold, addresses: record.addresses }
}

/** Sums by number of the asset, in order of first sight. Nearly always one asset. */
type Sums = { readonly asset: number; amount: bigint }[]

/** Empty sums; the first one added makes a list. */
const noSums: Sums = []

/** Adds `amount` of an asset to the caller's sums, and gives them. */
export function withAmount(sums: Sums, asset: number, amount: bigint): Sums {
  // An array literal has room for its values alone, one that is pushed to for 17.
  if (sums.length === 0) return [{ asset, amount }]
  for (const sum of sums) {
    if (sum.asset === asset) {
      sum.amount += amount
      return sums
    }
  }
  sums.push({ asset, amount })
  return sums
}

/** Amount of an asset. */
function amountOf(sums: Sums, asset: number): bigint {
  for (const sum of sums) if (sum.asset === asset) return sum.amount
  return 0n
}

/** The first asset of which too much is taken; `undefined` when there is enough of all. */
function overdrawn(from: Sums, taken: Sums): bigint | undefined {
  for (const { asset, amount } of taken) if (amount > amountOf(from, asset)) return amount
  return undefined
}

/** Addresses without repetition, in order of first sight. `keys` only when there are many. */
type AddressSet = { readonly list: Uint8Array[]; keys: Set<string> | undefined }

// Comparing with this many is cheaper than making one key.
const fewAddresses = 12

/** An empty set. */
export function newAddressSet(): AddressSet {
  return { list: [], keys: undefined }
}

/** Adds addresses to a set. */
export function addAddresses(set: AddressSet, addresses: readonly Uint8Array[]): void {
  for (const address of addresses) if (isNew(set, address)) set.list.push(address)
}

function isNew(set: AddressSet, address: Uint8Array): boolean {
  if (set.list.length <= fewAddresses) {
    return !set.list.some((known) => known === address || equalBytes(known, address))
  }
  set.keys ??= new Set(set.list.map(keyOf))
  const { size } = set.keys
  return set.keys.add(keyOf(address)).size > size
}
