/**
 * The UTXOs a chain's replay creates and spends, over a bounded cache and what the store found:
 * objects while their batch is open, flat memory once it is closed.
 *
 * Spends check that the output exists, is not locked as stake, not spent, and is what the input
 * claims. Exports live in shared memory: their import may be indexed before or after them.
 */

import { outputKeyOf, type OutputPlace } from '../../codec/primary/ids.ts'
import { equalBytes } from '../../core/bytes.ts'
import { violation } from './draft.ts'
import type { Draft, Mutable, Place } from './draft.ts'
import type {
  ChainName,
  Consumption,
  KnownUtxo,
  Owner,
  RewardKind,
  UtxoRow,
} from './ledger-rows.ts'
import type { Found, KnownImport } from './state.ts'
import { dropUtxo, isKept, keepUtxo, keptUtxo, newUtxoTable } from './utxo-table.ts'
import type { UtxoTable } from './utxo-table.ts'

/** A new output. `consumableOn` differs from the draft's chain for exports. */
export type NewUtxo = {
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly outputType: number
  readonly amount: bigint
  readonly owner: Owner
  readonly stakeableLocktime: bigint
  readonly groupId?: number
  readonly payload?: Uint8Array
  readonly consumableOn?: ChainName
  readonly staked?: boolean
  readonly stakeStart?: number
  readonly stakeEnd?: number
  readonly rewardKind?: RewardKind
  readonly rewardTxId?: Uint8Array
}

/** What an input says about the output it spends: its key, and `amount` where it says one. */
export type Spend = {
  readonly key: string
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly assetId: Uint8Array
  readonly amount: bigint | undefined
}

/** Unspent outputs known without asking the store. */
export type UtxoSet = {
  readonly chain: ChainName
  /** Those made or changed in the open batch, and what the store found for it. */
  readonly open: Map<string, Mutable<KnownUtxo>>
  /** Others, kept from batches that are closed. */
  readonly closed: UtxoTable
  /** Number of the next output the chain makes. */
  next: number
  /** What the store said for this batch: exports from other chains, and early imports. */
  imports: Map<string, KnownUtxo>
  earlyImports: Map<string, KnownImport>
}

/** An empty set that keeps at most `limit` outputs between batches; the chain's next is `next`. */
export function newUtxoSet(chain: ChainName, limit: number, next: number): UtxoSet {
  const closed = newUtxoTable(chain, limit)
  return { chain, open: new Map(), closed, next, imports: new Map(), earlyImports: new Map() }
}

/** Whether an unspent output of this chain is known without asking the store. */
export function isKnown(set: UtxoSet, key: string): boolean {
  return set.open.has(key) || isKept(set.closed, key)
}

/** An unspent output of this chain, when it is known. */
export function knownUtxo(set: UtxoSet, key: string): KnownUtxo | undefined {
  return set.open.get(key) ?? keptUtxo(set.closed, key)
}

/** Takes in what the store found for the next batch. */
export function takeFound(set: UtxoSet, found: Found): void {
  set.imports = new Map()
  set.earlyImports = new Map()
  for (const utxo of found.utxos) {
    const key = outputKeyOf(utxo.txId, utxo.outputIndex)
    if (utxo.createdOn !== set.chain || utxo.consumableOn !== set.chain) set.imports.set(key, utxo)
    else if (!isKnown(set, key)) set.open.set(key, { ...utxo })
  }
  for (const known of found.earlyImports) {
    set.earlyImports.set(outputKeyOf(known.txId, known.outputIndex), known)
  }
}

/** Keeps what a batch left unspent, over the oldest. To be called between batches. */
export function closeBatch(set: UtxoSet): void {
  for (const [key, utxo] of set.open) keepUtxo(set.closed, key, utxo)
  set.open.clear()
}

/** Adds an output and gives its row. Throws `state-violation` when it is there already. */
export function createUtxo(set: UtxoSet, draft: Draft, place: Place, made: NewUtxo): UtxoRow {
  const consumableOn = made.consumableOn ?? set.chain
  const key = outputKeyOf(made.txId, made.outputIndex)
  const row: Mutable<UtxoRow> = {
    number: set.next++,
    txId: made.txId,
    outputIndex: made.outputIndex,
    assetId: made.assetId,
    outputType: made.outputType,
    amount: made.amount,
    owner: made.owner,
    stakeableLocktime: made.stakeableLocktime,
    groupId: made.groupId,
    payload: made.payload,
    createdOn: set.chain,
    consumableOn,
    createdHeight: place.height,
    createdPosition: place.position,
    createdTime: place.time,
    staked: made.staked ?? false,
    stakeStart: made.stakeStart,
    stakeEnd: made.stakeEnd,
    rewardKind: made.rewardKind,
    rewardTxId: made.rewardTxId,
    returned: undefined,
    consumed: undefined,
  }
  draft.utxos.push(row)
  if (consumableOn !== set.chain) {
    joinEarlyImport(set, draft, row, key)
    return row
  }
  if (isKnown(set, key)) {
    throw violation(place, `output exists already: ${nameOf(made)}`)
  }
  set.open.set(key, row)
  return row
}

function joinEarlyImport(set: UtxoSet, draft: Draft, row: Mutable<UtxoRow>, key: string): void {
  const early = set.earlyImports.get(key)
  if (early === undefined) return
  row.consumed = early.consumed
  draft.importCompletions.push({ utxo: row, consumed: early.consumed })
}

/** Spends an output of this chain and gives it. Throws `state-violation`. */
export function spendUtxo(set: UtxoSet, draft: Draft, place: Place, spend: Spend): KnownUtxo {
  const { key } = spend
  const changing = set.open.get(key)
  const row = changing ?? keptUtxo(set.closed, key)
  if (row === undefined) {
    throw violation(place, `input is not an unspent output: ${nameOf(spend)}`)
  }
  if (row.staked && row.returned === undefined) {
    throw violation(place, `input is locked as stake: ${nameOf(spend)}`)
  }
  if (row.consumed !== undefined) throw violation(place, `input is spent: ${nameOf(spend)}`)
  checkClaim(place, spend, row)
  const consumed = consumptionAt(place)
  if (changing !== undefined && isOpen(draft, changing)) changing.consumed = consumed
  else draft.consumptions.push({ utxo: row, consumed })
  forget(set, key)
  return row
}

function checkClaim(place: Place, spend: Spend, row: KnownUtxo): void {
  if (!equalBytes(row.assetId, spend.assetId)) {
    throw violation(place, `input names another asset than the output: ${nameOf(spend)}`)
  }
  if (spend.amount !== undefined && row.amount !== spend.amount) {
    throw violation(place, `input names another amount than the output's: ${spend.amount}`)
  }
}

/**
 * Imports an output from another chain and gives it, or `undefined` when its export is not indexed
 * yet. Throws `state-violation` when it is spent.
 */
export function importUtxo(
  set: UtxoSet,
  draft: Draft,
  place: Place,
  spend: Spend & { readonly amount: bigint; readonly sourceChain: ChainName },
): KnownUtxo | undefined {
  const { key } = spend
  const known = set.imports.get(key)
  const consumed = consumptionAt(place)
  if (known === undefined) {
    if (set.earlyImports.has(key)) throw violation(place, `imported twice: ${nameOf(spend)}`)
    const { txId, outputIndex, assetId, amount, sourceChain } = spend
    const early = { txId, outputIndex, assetId, amount, consumed }
    set.earlyImports.set(key, early)
    draft.earlyImports.push({ ...early, sourceChain })
    return undefined
  }
  if (known.consumed !== undefined) throw violation(place, `imported twice: ${nameOf(spend)}`)
  if (known.consumableOn !== set.chain || known.createdOn !== spend.sourceChain) {
    throw violation(place, `imported from or to the wrong chain: ${nameOf(spend)}`)
  }
  checkClaim(place, spend, known)
  set.imports.set(key, { ...known, consumed })
  draft.consumptions.push({ utxo: known, consumed })
  return known
}

/** Gives a staked output back. Nothing to check but that it was staked, when it is in reach. */
export function returnStake(set: UtxoSet, draft: Draft, place: Place, of: OutputPlace): void {
  const { txId, outputIndex } = of
  const key = outputKeyOf(txId, outputIndex)
  const returned = { height: place.height, time: place.time, rewardTxId: place.txId }
  const changing = set.open.get(key)
  const row = changing ?? keptUtxo(set.closed, key)
  if (row === undefined) {
    draft.stakeReturns.push({ txId, outputIndex, returned })
    return
  }
  if (!row.staked) throw violation(place, 'returned output was never staked')
  if (changing !== undefined && isOpen(draft, changing)) {
    changing.returned = returned
    return
  }
  draft.stakeReturns.push({ txId, outputIndex, returned })
  // The row belongs to a batch that is closed.
  forget(set, key)
  set.open.set(key, { ...row, returned })
}

function forget(set: UtxoSet, key: string): void {
  if (!set.open.delete(key)) dropUtxo(set.closed, key)
}

/** Whether a row is of the open batch, and may still be changed. */
function isOpen(draft: Draft, row: KnownUtxo): boolean {
  return row.number >= draft.firstUtxo
}

function consumptionAt(place: Place): Consumption {
  const { chain, height, position, time, txId } = place
  return { chain, height, position, time, txId }
}

function nameOf(spend: { readonly txId: Uint8Array; readonly outputIndex: number }): string {
  return `${Buffer.from(spend.txId).toString('hex')}:${spend.outputIndex}`
}
