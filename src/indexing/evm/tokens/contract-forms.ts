/**
 * Transfers in forms that several declarations share, as their contracts are found to mean them.
 *
 * An event does not say which of its words is the sender, the receiver or the amount, nor whether a number
 * is an amount or an item. Contracts do: balances move by what a transfer says, and `ownerOf` names who has
 * an item. What no answer settles stays what its form says, or nothing, and is asked again when the
 * contract logs again. Source: ERC-20, which says nothing of indexing; ERC-721, ERC-165.
 */

import { balanceOfData, wordOf } from '../../../codec/evm/abi/abi.ts'
import { type BlockBatch, transferKinds } from '../../../codec/evm/columns/columns.ts'
import { createGenerations, type Generations, setBounded } from '../../../core/bounded-maps.ts'
import { to0x, toBigint, toHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { itemAt, u32At, u8At } from '../../../core/item-at.ts'
import type { EvmSource, StateAnswer, StateCall } from '../../../source/evm-source.ts'
import type { StoredProofs } from '../../../store/query/evm/heights.ts'
import { byteAt } from '../write/batch-columns.ts'
import { factsOf, questionsTo, questionTo } from './token-metadata.ts'

/** Contracts called at once: with eight calls each, below the 1,000 calls of a batch. */
const contractsAtOnce = 100
/** Of those that these answers do not settle, how many are looked at by their balances in one batch. */
const mostByBalances = 32
/** Transfers of a contract in one block by which it is looked at. */
const mostRows = 16
/** Contracts whose reading is kept, some 200 bytes each and up to twice as many. */
const contractsKept = 50_000
/** Doubts that are stored, 60 bytes each; of more, the oldest go. */
const doubtsKept = 1_024
/**
 * Blocks that are read again when readings are settled, at most at once and in a minute: whoever makes
 * contracts must not make more work, nor take more from the head of the chain.
 */
const mostReread = 4_096
const rereadPerMinute = 256

const { erc20, erc721, erc721OneTopic, oneIndexed, twoIndexed } = transferKinds

/** A word of a row: the two ends as they are stored, or the address that the data has besides. */
type End = 'from' | 'to' | 'other'
/** Which word of a row is what; of an item there is one. */
type Reading = {
  readonly ends: readonly [End, End]
  readonly number: 'value' | 'tokenId'
  readonly isItem?: true
}

const item: Reading = { ends: ['from', 'to'], number: 'tokenId', isItem: true }
const items: readonly Reading[] = [item, { ends: ['from', 'to'], number: 'tokenId' }]

/** Readings of each form that has several. */
const readings: Readonly<Record<number, readonly Reading[]>> = {
  [erc721]: items,
  [erc721OneTopic]: items,
  [oneIndexed]: [
    { ends: ['from', 'to'], number: 'value' },
    { ends: ['to', 'from'], number: 'value' },
    { ends: ['to', 'other'], number: 'tokenId' },
  ],
  [twoIndexed]: [
    { ends: ['from', 'to'], number: 'value' },
    { ends: ['from', 'other'], number: 'tokenId' },
    { ends: ['other', 'from'], number: 'tokenId' },
  ],
}

/**
 * Readings of forms by contract, as long as this process runs, and doubts, which are stored beside what
 * hashes do not prove: rows of a contract may be wrong, or absent, until it says what its transfers are.
 */
export class KnownForms {
  readonly #readings: Generations<string, Reading> = createGenerations(contractsKept)
  /** Heights from which on transfers of a contract were taken by their form. */
  readonly #doubted = new Map<string, number>()
  /** Those of them that were settled since. */
  readonly #settled = new Set<string>()
  #spent = 0
  #spentAtMs = 0

  get(key: string): Reading | undefined {
    return this.#readings.get(key)
  }

  doubt(key: string, height: number): void {
    if (height < (this.#doubted.get(key) ?? Infinity))
      setBounded(this.#doubted, key, height, doubtsKept)
  }

  settle(key: string, reading: Reading): void {
    this.#readings.set(key, reading)
    if (reading === item) this.#doubted.delete(key)
    else if (this.#doubted.has(key)) this.#settled.add(key)
  }

  /** Heights by contract and form, to be stored; `undefined` where there are none. */
  get doubts(): StoredProofs['doubts'] {
    return this.#doubted.size === 0 ? undefined : Object.fromEntries(this.#doubted)
  }

  /** Takes up what was stored, where blocks are read from height `from` on: their own doubts come again. */
  resume(doubts: StoredProofs['doubts'], from: number): void {
    for (const [key, height] of Object.entries(doubts ?? {})) this.doubt(key, height)
    for (const [key, height] of this.#doubted) if (height >= from) this.#forget(key)
  }

  /**
   * Height from which on rows before `until` must be made anew, once; `undefined` for none. Of each form of a
   * contract that is once, and of all contracts so many blocks a minute, `nowMs` being monotonic.
   */
  takeReread(until: number, nowMs: number): number | undefined {
    if (this.#settled.size === 0) return undefined
    const spent = Math.max(0, this.#spent - ((nowMs - this.#spentAtMs) / 60_000) * rereadPerMinute)
    const heights = [...this.#settled].map((key) => this.#doubted.get(key) ?? until)
    const from = Math.min(...heights.filter((height) => until - height <= mostReread - spent))
    if (from >= until) return undefined
    this.#spent = spent + until - from
    this.#spentAtMs = nowMs
    for (const key of this.#settled) if ((this.#doubted.get(key) ?? from) >= from) this.#forget(key)
    return from
  }

  #forget(key: string): void {
    this.#doubted.delete(key)
    this.#settled.delete(key)
  }
}

/** Transfers of one contract in one form. */
type Group = {
  readonly key: string
  /** `0x` hex. */
  readonly contract: string
  readonly kind: number
  readonly rows: number[]
}

type Asking = { readonly known: KnownForms; readonly signal: AbortSignal }

/**
 * Gives transfers their kind and ends, in `batch` itself. No block waits for contracts: where the source
 * fails, forms decide.
 */
export async function asContractsSay(
  batch: BlockBatch,
  source: Pick<EvmSource, 'state'>,
  { known, signal }: Asking,
): Promise<void> {
  const groups = groupsOf(batch)
  const unknown = groups.filter(({ key }) => known.get(key) === undefined)
  try {
    const unsettled: Group[] = unknown.filter(({ kind }) => !isNumbered(kind))
    const numbered = unknown.filter(({ kind }) => isNumbered(kind))
    for (let from = 0; from < numbered.length; from += contractsAtOnce) {
      const some = numbered.slice(from, from + contractsAtOnce)
      unsettled.push(...(await settleByOwners(batch, source, some, { known, signal })))
    }
    for (const group of unsettled.slice(0, mostByBalances))
      await settleByBalances(batch, source, group, { known, signal })
  } catch (error) {
    if (signal.aborted || !(error instanceof Fault)) throw error
  }
  for (const { key, rows } of groups) {
    const reading = known.get(key)
    if (reading === undefined) known.doubt(key, heightOf(batch, itemAt(rows, 0)))
    else for (const row of rows) read(batch, row, reading)
  }
}

/** The same by the rows that are `stored` of the one block that `batch` is. */
export function asStored(batch: BlockBatch, stored: BlockBatch): void {
  const { kind, from, to, count } = stored.transfers
  for (const group of groupsOf(batch))
    for (const row of group.rows) {
      if (row >= count || u8At(kind, row) === group.kind) continue
      const reading = readings[group.kind]?.find((each) => {
        const made = each.isItem === true ? undefined : rowAs(batch, row, each)
        if (made === undefined) return false
        const isSame = (at: number, other: Uint32Array): boolean =>
          addressAt(batch, at) === addressAt(stored, u32At(other, row))
        return isSame(made.from, from) && isSame(made.to, to)
      })
      if (reading !== undefined) read(batch, row, reading)
    }
}

function isNumbered(kind: number): boolean {
  return readings[kind] === items
}

function groupsOf(batch: BlockBatch): readonly Group[] {
  const { transfers } = batch
  const groups = new Map<string, Group>()
  for (let row = 0; row < transfers.count; row++) {
    const kind = u8At(transfers.kind, row)
    if (readings[kind] === undefined) continue
    const contract = addressAt(batch, u32At(transfers.token, row))
    const key = `${contract} ${kind}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { key, contract, kind, rows: [row] })
    else group.rows.push(row)
  }
  return [...groups.values()]
}

/**
 * Settles what a contract says of itself: that it is ERC-721, or who owns an item. Returns the others.
 */
async function settleByOwners(
  batch: BlockBatch,
  source: Pick<EvmSource, 'state'>,
  groups: readonly Group[],
  { known, signal }: Asking,
): Promise<readonly Group[]> {
  const calls = groups.flatMap(({ contract, rows }) => {
    const id = numberAt(batch, rows.at(-1) ?? 0, 'tokenId')
    return [...questionsTo(contract), ownerQuestion(contract, id)]
  })
  const answers = await source.state(calls, 'latest', signal)
  const each = calls.length / groups.length
  return groups.filter(({ key, rows }, at) => {
    const own = answers.slice(at * each, (at + 1) * each)
    if (own.every(({ kind }) => kind === 'not-served')) return false
    const owner = own.at(-1)
    const word = owner?.kind === 'value' && owner.value.length === 66 ? BigInt(owner.value) : 0n
    const isOwned =
      isAddress(word) ||
      (word > 0n && word === BigInt(addressAt(batch, u32At(batch.transfers.to, rows.at(-1) ?? 0))))
    const { standard, decimals } = factsOf(own, 0)
    if (standard !== 0 || isOwned) known.settle(key, item)
    else if (decimals !== undefined && decimals > 0) known.settle(key, itemAt(items, 1))
    return known.get(key) === undefined
  })
}

/** Source: ERC-721. */
function ownerQuestion(to: string, id: bigint): StateCall {
  return questionTo(to, `0x6352211e${wordOf(id.toString(16))}`)
}

/** Settles the one reading by which balances moved in the first block that has few enough transfers. */
async function settleByBalances(
  batch: BlockBatch,
  source: Pick<EvmSource, 'state'>,
  { key, contract, kind, rows }: Group,
  { known, signal }: Asking,
): Promise<void> {
  const height = heightOf(batch, itemAt(rows, 0))
  const own = rows.filter((row) => heightOf(batch, row) === height)
  if (own.length > mostRows || height === 0) return
  const moves = (readings[kind] ?? []).map((reading) => movesOf(batch, own, reading))
  const holders = [...new Set(moves.flatMap((of) => [...(of?.keys() ?? [])]))]
  const calls = holders.map((holder) => questionTo(contract, balanceOfData(holder.slice(2))))
  if (calls.length === 0) return
  const before = await source.state(calls, height - 1, signal)
  const after = await source.state(calls, height, signal)
  const changes = holders.map((_, at) => changeOf(before[at], after[at]))
  const right = moves.flatMap((of, at) =>
    of !== undefined && holders.every((holder, nth) => changes[nth] === (of.get(holder) ?? 0n))
      ? [at]
      : [],
  )
  const [only, another] = right
  const reading = only === undefined ? undefined : readings[kind]?.[only]
  if (reading !== undefined && another === undefined) known.settle(key, reading)
}

function changeOf(before?: StateAnswer, after?: StateAnswer): bigint | undefined {
  if (before?.kind !== 'value' || after?.kind !== 'value') return undefined
  if (after.value.length < 66) return undefined
  // A contract that was made in this block has no code before it.
  const first = before.value.length < 66 ? 0n : BigInt(before.value.slice(0, 66))
  return BigInt(after.value.slice(0, 66)) - first
}

/** Change of each balance by `rows`; `undefined` where one of them cannot be read so. */
function movesOf(
  batch: BlockBatch,
  rows: readonly number[],
  reading: Reading,
): ReadonlyMap<string, bigint> | undefined {
  const moves = new Map<string, bigint>()
  for (const row of rows) {
    const made = rowAs(batch, row, reading)
    if (made === undefined) return undefined
    const size = reading.isItem === true ? 1n : numberAt(batch, row, reading.number)
    for (const [end, by] of [
      [addressAt(batch, made.from), -size],
      [addressAt(batch, made.to), size],
    ] as const)
      if (BigInt(end) !== 0n) moves.set(end, (moves.get(end) ?? 0n) + by)
  }
  return moves
}

/** Places of the ends of a row in a reading; `undefined` where a word of it is no address. */
function rowAs(
  batch: BlockBatch,
  row: number,
  { ends }: Reading,
): { readonly from: number; readonly to: number } | undefined {
  const place = (end: End): number =>
    end === 'other' ? placeOfOther(batch, row) : u32At(batch.transfers[end], row)
  const [from, to] = [place(ends[0]), place(ends[1])]
  return from < 0 || to < 0 ? undefined : { from, to }
}

/** Place of the address that the value of a row looks like, which the decoder put among the others. */
function placeOfOther({ addresses, transfers, arena }: BlockBatch, row: number): number {
  const bytes = byteAt(arena, transfers.value, row)
  if (bytes.length > 20) return -1
  const wanted = toHex(bytes).padStart(40, '0')
  for (let at = 0; at < addresses.length; at += 20)
    if (toHex(addresses.subarray(at, at + 20)) === wanted) return at / 20
  return -1
}

function read(batch: BlockBatch, row: number, reading: Reading): void {
  const { transfers } = batch
  const made = rowAs(batch, row, reading)
  if (made === undefined || reading.isItem === true) return
  const { kind, value, tokenId, from, to } = transfers
  kind[row] = erc20
  from[row] = made.from
  to[row] = made.to
  if (reading.number === 'tokenId') {
    value.offset[row] = u32At(tokenId.offset, row)
    value.length[row] = u32At(tokenId.length, row)
  }
  tokenId.length[row] = 0
}

/** Amounts are smaller and hashes are larger, but for one in four thousand millions. */
function isAddress(word: bigint): boolean {
  return word >= 1n << 128n && word < 1n << 160n
}

function numberAt(
  { arena, transfers }: BlockBatch,
  row: number,
  name: 'value' | 'tokenId',
): bigint {
  return toBigint(byteAt(arena, transfers[name], row))
}

function heightOf({ from, txs, transfers }: BlockBatch, row: number): number {
  return from + u32At(txs.block, u32At(transfers.tx, row))
}

function addressAt({ addresses }: BlockBatch, at: number): string {
  return to0x(addresses.subarray(at * 20, at * 20 + 20))
}
