/**
 * The UTXOs a chain's replay creates and spends, over a bounded ring and what the store found.
 *
 * Spends check that the output exists, is not locked as stake, not spent, and is what the input
 * claims. Exports live in shared memory: their import may be indexed before or after them.
 */

import { outputKeyOf, type OutputPlace } from '../../../codec/primary/ids.ts'
import { itemAt } from '../../../core/item-at.ts'
import { assetOf, kindOf, packTraits } from '../../../store/schema/primary/holding.ts'
import {
  chainNumbers,
  posOfPlace,
  prefixOf,
  rewardKinds,
} from '../../../store/schema/primary/position.ts'
import type { AssetNumbers } from '../batch/asset-numbers.ts'
import {
  outputFlags,
  type ChainName,
  type KnownUtxo,
  type RewardKind,
} from '../batch/ledger-rows.ts'
import type { HeldRow, Ledger } from '../batch/ledger.ts'
import type { Checkpoint, RowBatch } from '../batch/rows.ts'
import type { Found, KnownImport } from '../batch/stored-state.ts'
import { closeDraft, mostAhead, violation, type Adds, type Draft, type Place } from './draft.ts'
import { type OutputFields, OutputWriter } from './output-bytes.ts'
import {
  addOutput,
  addressAt,
  amountAt,
  createdAtAt,
  findOutput,
  flagOutput,
  flagsAt,
  newOutputRing,
  numberAt,
  traitsAt,
  trimOutputs,
  type OutputRing,
} from './output-ring.ts'

/**
 * A new output.
 *
 * - `outputType`: wire type id of the output inside any stakeable lock: 7 amount, 6 and 10 and 15
 *   rights to mint, 11 NFT, 16 property
 * - `amount`: 0 when the output has none
 * - `stakeableLocktime`: Unix seconds until which it may only be staked; 0 = none
 * - `consumableOn` differs from the draft's chain for exports
 * - `staked`: lies locked until it is given back; `stakeStart` and `stakeEnd` of the stake, or of
 *   the staker a reward is for
 */
export type NewUtxo = OutputPlace &
  OutputFields & {
    readonly assetId: Uint8Array
    readonly consumableOn?: ChainName
    readonly staked?: boolean
    readonly stakeStart?: number
    readonly stakeEnd?: number
    readonly rewardKind?: RewardKind
  }

/** Facts that an input states about the output it spends; `amount` when it states one. */
export type Spend = OutputPlace & {
  readonly assetId: Uint8Array
  readonly amount: bigint | undefined
}

/** An input of an output of another chain, which has a key: see `outputKeyOf`. */
export type ImportSpend = Spend & {
  readonly key: string
  readonly amount: bigint
  readonly sourceChain: ChainName
}

/** Outputs known without a look into the store. */
export type UtxoSet = {
  readonly chain: ChainName
  readonly ring: OutputRing
  readonly assets: AssetNumbers
  readonly outputs: OutputWriter
  /** Number of the next output the chain makes. */
  next: number
  /**
   * Number of outputs that had come to the ring at the ends of the newest {@link mostAhead}
   * batches.
   */
  readonly ends: number[]
  /** Stakes given back by the open batch, the first, and by those before it that `ends` are of. */
  readonly returned: Set<string>[]
  /** The store's answers for the open batch: exports from other chains, and early imports. */
  readonly imports: Map<string, KnownUtxo>
  readonly earlyImports: Map<string, KnownImport>
}

/** An empty set that keeps at most `limit` outputs between batches; the chain's next is `next`. */
export function newUtxoSet(
  chain: ChainName,
  limit: number,
  { next, assets }: { readonly next: number; readonly assets: AssetNumbers },
): UtxoSet {
  const ring = newOutputRing(chain, limit)
  const imports = new Map<string, KnownUtxo>()
  const returned = [new Set<string>()]
  const outputs = new OutputWriter()
  const kept = { chain, ring, assets, outputs }
  return { ...kept, next, ends: [], returned, imports, earlyImports: new Map() }
}

/** Returns whether an output of this chain is known without a look into the store. */
export function isKnown(set: UtxoSet, { txId, outputIndex }: OutputPlace): boolean {
  return findOutput(set.ring, txId, outputIndex) !== -1
}

/** When a known output of this chain was made, Unix seconds; 0 when it is not known. */
export function createdAtOf(set: UtxoSet, { txId, outputIndex }: OutputPlace): number {
  const entry = findOutput(set.ring, txId, outputIndex)
  return entry === -1 ? 0 : createdAtAt(set.ring, entry)
}

/** Takes in what the store found for the next blocks of the open batch. */
export function takeFound(set: UtxoSet, found: Found): void {
  for (const utxo of found.utxos) {
    if (utxo.createdOn !== set.chain || utxo.consumableOn !== set.chain) {
      // The store does not know yet what this batch did with it.
      const key = outputKeyOf(utxo.txId, utxo.outputIndex)
      if (!set.imports.has(key)) set.imports.set(key, utxo)
    } else {
      addOutput(set.ring, { ...utxo, flags: flagsNow(set, utxo) }, utxo.addresses)
    }
  }
  for (const known of found.earlyImports) {
    set.earlyImports.set(outputKeyOf(known.txId, known.outputIndex), known)
  }
}

/** Flags of what the store found: it may not know yet that a stake came back. */
function flagsNow({ returned }: UtxoSet, { txId, outputIndex, flags }: KnownUtxo): number {
  if ((flags & outputFlags.staked) === 0) return flags
  const key = outputKeyOf(txId, outputIndex)
  return returned.some((keys) => keys.has(key)) ? flags | outputFlags.returned : flags
}

/** At a batch's end: forgets what other chains did, and the oldest outputs that are stored. */
export function closeBatch(set: UtxoSet, draft: Draft): void {
  set.imports.clear()
  set.earlyImports.clear()
  // A batch without a block is not handed to the store, and does not show that earlier ones were
  // stored.
  if (draft.from === undefined) return
  if (set.ends.length === mostAhead) {
    trimOutputs(set.ring, itemAt(set.ends, 0))
    set.ends.shift()
    set.returned.pop()
  }
  set.ends.push(set.ring.came)
  set.returned.unshift(new Set())
}

/** State of any chain, as far as a checkpoint tells it. */
type ChainState = Pick<Checkpoint, 'height' | 'blockId' | 'time'> & {
  readonly utxos: UtxoSet
  readonly l1?: { readonly accruedFees: bigint; readonly excess: bigint }
  burned: bigint | undefined
}

/** The batch begun with `newDraft`, finished. */
export function endBatch(state: ChainState, draft: Draft): RowBatch {
  const { height, blockId, time, utxos, l1 } = state
  closeBatch(utxos, draft)
  // What was not counted from the start stays unknown.
  if (state.burned !== undefined) state.burned += draft.burned
  return closeDraft(draft, utxos.assets, {
    chain: draft.chain,
    height,
    blockId,
    time,
    l1AccruedFees: l1?.accruedFees ?? 0n,
    l1FeeExcess: l1?.excess ?? 0n,
    nextUtxo: utxos.next,
    burned: state.burned,
  })
}

/** Lists of a batch that creating and spending adds to. */
type MovedLists =
  | 'firstUtxo'
  | 'ledger'
  | 'crossing'
  | 'earlyImports'
  | 'importCompletions'
  | 'stakeReturns'

/** Creator and spender of UTXOs: a transaction at its place, or genesis. */
export type Mover = Adds<MovedLists> & {
  readonly utxos: UtxoSet
  readonly place: Place
  /** Number of the first UTXO a transaction makes; missing where none does. */
  readonly first?: number
  /** Where the addresses it concerns are noted; missing where it is no transaction. */
  readonly owners?: Ledger['txOwners']
}

/** Notes that something concerns an address with this place in the batch. */
export function noteOwner({ owners }: Pick<Mover, 'owners'>, place: number): void {
  owners?.push(place)
}

/** Adds an output and gives its number. Throws `state-violation` when it is there already. */
export function createUtxo(by: Mover, made: NewUtxo): number {
  const { utxos: set, draft, place } = by
  const { ledger } = draft
  const number = set.next++
  const { txId, outputIndex, amount, owner, staked = false } = made
  const createdOn = chainNumbers[set.chain]
  const consumableOn = chainNumbers[made.consumableOn ?? set.chain]
  const crossing = consumableOn !== createdOn
  const kind = kindOf(made, { staked, crossing })
  const asset = set.assets.of(made.assetId)
  const traits = packTraits({ asset, kind, needed: owner.threshold })
  // One record for all who take a part of it.
  const row = {
    txId,
    outputIndex,
    number,
    createdPos: posOfPlace(place),
    createdAt: place.time,
    amount,
    traits,
    flags: staked ? outputFlags.staked : 0,
    createdOn,
    consumableOn,
    spentPos: 0,
    spentAt: 0,
  }
  ledger.utxoRows.push(row, {
    asset,
    kind,
    output: set.outputs.bytesOf(made),
    consumableOn: crossing ? consumableOn : undefined,
    stakeStart: made.stakeStart,
    stakeEnd: made.stakeEnd,
    reward: made.rewardKind === undefined ? undefined : rewardKinds.indexOf(made.rewardKind),
  })
  ledger.made.push(row)
  noteMade(by, owner.addresses)
  if (by.first === undefined || number - by.first !== outputIndex || txId !== place.txId) {
    ledger.pushStray({ prefix: prefixOf(txId), number })
  }
  if (crossing) {
    noteExport(by, {
      txId,
      outputIndex,
      number,
      createdAt: place.time,
      amount,
      traits,
      flags: 0,
      addresses: owner.addresses,
      createdOn: set.chain,
      consumableOn: made.consumableOn ?? set.chain,
    })
  } else if (addOutput(set.ring, row, owner.addresses) === -1) {
    throw violation(place, `output exists already: ${nameOf(made)}`)
  }
  return number
}

/** Lists an output that was made, and its transaction, under its owners. */
function noteMade(by: Mover, addresses: readonly Uint8Array[]): void {
  const { ledger } = by.draft
  const { owners } = ledger.made
  for (const address of addresses) {
    const owned = ledger.addresses.placeOf(address, 0)
    owners.push(owned)
    noteOwner(by, owned)
  }
  owners.end()
}

/** Joins an export to its import, where that came before. */
function noteExport({ utxos: set, draft }: Mover, utxo: KnownUtxo): void {
  const { txId, outputIndex, number, addresses } = utxo
  const key = outputKeyOf(txId, outputIndex)
  const early = set.earlyImports.get(key)
  if (early === undefined) {
    draft.crossing.set(key, utxo)
    return
  }
  markSpent(draft, number, early.consumed)
  draft.crossing.set(key, { ...utxo, flags: outputFlags.spent })
  const { consumed } = early
  draft.importCompletions.push({ utxo: { txId, outputIndex, number, addresses }, consumed })
}

/** Notes that an output of the open batch is spent at a place. */
function markSpent(draft: Pick<Draft, 'ledger' | 'firstUtxo'>, number: number, place: Place): void {
  const { spentPos, spentAt } = draft.ledger.made.columns
  spentPos.set(number - draft.firstUtxo, posOfPlace(place))
  spentAt.set(number - draft.firstUtxo, place.time)
}

/** Spends an output of this chain and gives its entry in the ring. Throws `state-violation`. */
export function spendUtxo(by: Mover, spend: Spend): number {
  const { utxos: set, draft, place } = by
  const { ring } = set
  const entry = findOutput(ring, spend.txId, spend.outputIndex)
  if (entry === -1) throw violation(place, `input is not an unspent output: ${nameOf(spend)}`)
  const flags = flagsAt(ring, entry)
  if (flags !== 0 && flags !== (outputFlags.staked | outputFlags.returned)) {
    const how = (flags & outputFlags.spent) === 0 ? 'locked as stake' : 'spent'
    throw violation(place, `input is ${how}: ${nameOf(spend)}`)
  }
  const number = numberAt(ring, entry)
  const traits = traitsAt(ring, entry)
  const amount = amountAt(ring, entry)
  checkClaim(by, spend, { traits, amount })
  flagOutput(ring, entry, outputFlags.spent)
  const isOfBatch = number >= draft.firstUtxo
  if (isOfBatch) {
    markSpent(draft, number, place)
  } else {
    const createdOn = chainNumbers[set.chain]
    const createdAt = createdAtAt(ring, entry)
    noteSpent(by, { number, createdAt, amount, traits, createdOn, consumableOn: createdOn })
  }
  const { addresses, spent } = draft.ledger
  const address = addressAt(ring, entry)
  if (address === -1) {
    noteOwners(by, ring.others.get(number) ?? [], isOfBatch)
  } else {
    const owned = addresses.placeOf(ring.bytes, address)
    noteOwner(by, owned)
    if (!isOfBatch) spent.owners.push(owned)
  }
  if (!isOfBatch) spent.owners.end()
  return entry
}

/** Adds a spent UTXO of an earlier batch, all but its owners. */
function noteSpent({ draft, place }: Mover, row: Omit<HeldRow, 'spentPos' | 'spentAt'>): void {
  draft.ledger.spent.push({ ...row, spentPos: posOfPlace(place), spentAt: place.time })
}

function noteOwners(by: Mover, list: readonly Uint8Array[], isOfBatch: boolean): void {
  const { addresses, spent } = by.draft.ledger
  for (const address of list) {
    const owned = addresses.placeOf(address, 0)
    noteOwner(by, owned)
    if (!isOfBatch) spent.owners.push(owned)
  }
}

function checkClaim(
  { utxos: set, place }: Mover,
  spend: Spend,
  { traits, amount }: Pick<KnownUtxo, 'traits' | 'amount'>,
): void {
  if (assetOf(traits) !== set.assets.of(spend.assetId)) {
    throw violation(place, `input names another asset than the output: ${nameOf(spend)}`)
  }
  if (spend.amount !== undefined && amount !== spend.amount) {
    throw violation(place, `input names another amount than the output's: ${spend.amount}`)
  }
}

/**
 * Imports an output from another chain and gives it, or `undefined` when its export is not indexed
 * yet. Throws `state-violation` when it is spent.
 */
export function importUtxo(by: Mover, spend: ImportSpend): KnownUtxo | undefined {
  const { utxos: set, draft, place } = by
  const { key } = spend
  const known = set.imports.get(key)
  if (known === undefined) {
    if (set.earlyImports.has(key)) throw violation(place, `imported twice: ${nameOf(spend)}`)
    const { txId, outputIndex, assetId, amount, sourceChain } = spend
    const early = { txId, outputIndex, assetId, amount, consumed: place }
    set.earlyImports.set(key, early)
    draft.earlyImports.push({ ...early, sourceChain })
    return undefined
  }
  if ((known.flags & outputFlags.spent) !== 0) {
    throw violation(place, `imported twice: ${nameOf(spend)}`)
  }
  if (known.consumableOn !== set.chain || known.createdOn !== spend.sourceChain) {
    throw violation(place, `imported from or to the wrong chain: ${nameOf(spend)}`)
  }
  checkClaim(by, spend, known)
  const after = { ...known, flags: known.flags | outputFlags.spent }
  set.imports.set(key, after)
  draft.crossing.set(key, after)
  const { number, createdAt, amount, traits } = known
  const createdOn = chainNumbers[known.createdOn]
  const consumableOn = chainNumbers[known.consumableOn]
  noteSpent(by, { number, createdAt, amount, traits, createdOn, consumableOn })
  noteOwners(by, known.addresses, false)
  draft.ledger.spent.owners.end()
  return known
}

/** Gives a staked output back. Nothing to check but that it was staked, when it is in reach. */
export function returnStake({ utxos: set, draft, place }: Mover, of: OutputPlace): void {
  const { txId, outputIndex } = of
  // The store may be asked about an output that is being evicted before it knows of the output.
  set.returned[0]?.add(outputKeyOf(txId, outputIndex))
  const entry = findOutput(set.ring, txId, outputIndex)
  if (entry === -1) {
    draft.stakeReturns.push({ number: undefined, txId, outputIndex, time: place.time })
    return
  }
  if ((flagsAt(set.ring, entry) & outputFlags.staked) === 0) {
    throw violation(place, 'returned output was never staked')
  }
  const number = numberAt(set.ring, entry)
  draft.stakeReturns.push({ number, txId, outputIndex, time: place.time })
  flagOutput(set.ring, entry, outputFlags.returned)
}

function nameOf(spend: OutputPlace): string {
  return `${Buffer.from(spend.txId).toString('hex')}:${spend.outputIndex}`
}
