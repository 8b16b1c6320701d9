/**
 * Compares balances, holders, tokens and owners of a copied history with the rows that the node's blocks
 * make. Where later blocks changed the owner of a token, the copy must have the transfer that did.
 */

import type { BlockBatch } from '../../../codec/evm/columns.ts'
import { assert } from '../../../core/fault.ts'
import { f64At, itemAt, u32At, u8At } from '../../../core/item-at.ts'
import { wideInteger } from '../../../core/wide-integer.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import { type Reader, type Row, statement, type Value } from '../../../store/engine/database.ts'
import { columnNames, type Table } from '../../../store/engine/table.ts'
import { integerAt } from '../../../store/query/row-values.ts'
import { balance, holding, token } from '../../../store/schema/evm.ts'
import { nftAmount, nftRange, nftToken } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { placeOfZero } from '../write/apply-blocks.ts'
import { isFungible, isMultiToken, isUnique } from '../write/kinds.ts'
import { fullItem } from '../write/nft-rows.ts'
import { isEqual } from './compare-facts.ts'
import { differs } from './difference.ts'
import type { ExpectedRows } from './expected-rows.ts'

/** Numbers of rows that blocks make: of all blocks, the copy must have as many. */
export type CountedAmounts = {
  /** Times that a balance became another one. */
  readonly balance: number
  /** Times that somebody was named by a token for the first time. */
  readonly holding: number
}

type ToldNumbers = {
  readonly batch: BlockBatch
  readonly ids: Float64Array
  /** Place of the zero address among the batch's addresses, or -1. */
  readonly zero: number
}

const balanceUntil = statement(
  `select height, value, negative from balance
   where address_id = ? and token_id = ? and height <= ? order by height desc limit 1`,
  { over: 'last' },
)
const rangeOver = statement(
  `select last_item, owner_id, at from nft_range
   where contract_id = ? and first_item <= ? order by first_item desc limit 1`,
)
const transfersOfBlock = statement(
  `select log_index, kind, token_id, to_id, item from transfer
   where pos >= ? and pos < ? order by pos`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/** Throws `source-mismatch` for the first row that is not what the blocks of `batch` make. */
export async function compareAmounts(
  reader: Reader,
  expected: ExpectedRows,
  batch: BlockBatch,
): Promise<CountedAmounts> {
  const told = (table: Table): readonly Row[] => expected.rows.get(table) ?? []
  const changes = await compareBalances(reader, expected, batch)
  const zero = placeOfZero(batch.addresses)
  const firsts = await compareHolders(reader, namingsOf(expected, { ...expected, batch, zero }))
  await compareTokens(reader, expected)
  await compareOwners(reader, told(nftToken))
  await compareRanges(reader, told(nftRange))
  await compareItems(reader, told(nftAmount))
  return { balance: changes, holding: firsts }
}

async function compareBalances(
  reader: Reader,
  { rows, before }: ExpectedRows,
  range: HeightRange,
): Promise<number> {
  const told = rows.get(balance) ?? []
  const newest = new Map(before)
  let changes = 0
  for (const [at, row] of told.entries()) {
    const pair = pairOf(row)
    const amount = amountOf(row[3], row[4])
    if (amount !== (newest.get(pair) ?? 0n)) changes++
    newest.delete(pair)
    // Rows are in order of pairs. A copied row that no transfer made would be the base of all later ones,
    // so the last one must be the newest of the whole range.
    const next = told[at + 1]
    const isLast = next === undefined || pairOf(next) !== pair
    if (!isLast) newest.set(pair, amount)
    await compareBalance(reader, row, isLast ? range.until - 1 : Number(row[2]))
  }
  // Pairs that blocks named and whose balance stayed the same.
  const height = range.until - 1
  for (const [pair, amount] of newest) {
    const [addressId = 0, tokenId = 0] = pair.split(' ').map(Number)
    const found = await reader.get(balanceUntil, [addressId, tokenId, height])
    const copied = found === undefined ? undefined : amountOf(found[1], found[2])
    if (copied === amount) continue
    const values = { copied: textOf(copied), told: textOf(amount) }
    throw differs({ height, table: balance.name, column: 'value', ...values })
  }
  return changes
}

function pairOf([addressId, tokenId]: Row): string {
  return `${Number(addressId)} ${Number(tokenId)}`
}

/** Throws where the newest change up to height `until` is another one than `told`. */
async function compareBalance(reader: Reader, told: Row, until: number): Promise<void> {
  const [addressId = null, tokenId = null, height = null, value = null, negative = null] = told
  const at = await reader.get(balanceUntil, [addressId, tokenId, height])
  const where = { height: Number(height), table: balance.name }
  if (at?.[0] !== height)
    throw differs({ ...where, column: 'height', copied: at?.[0], told: height })
  // Later rows are those of segments that begin anew: they change nothing.
  for (const found of [at, await reader.get(balanceUntil, [addressId, tokenId, until])]) {
    if (!isEqual(found?.[1], value))
      throw differs({ ...where, column: 'value', copied: found?.[1], told: value })
    if (found?.[2] !== negative)
      throw differs({ ...where, column: 'negative', copied: found?.[2], told: negative })
  }
}

/**
 * Heights at which tokens named somebody, by `<token id> <address id>`. Which of them is noted as the
 * first one of a range of NFTs depends on how blocks were batched.
 */
type Namings = ReadonlyMap<string, { readonly heights: Set<number>; hasRange: boolean }>

function namingsOf({ rows }: ExpectedRows, { batch, ids, zero }: ToldNumbers): Namings {
  const namings = new Map<string, { readonly heights: Set<number>; hasRange: boolean }>()
  const name = (tokenId: number, addressId: number, height: number, isRange: boolean): void => {
    const pair = `${tokenId} ${addressId}`
    const known = namings.get(pair) ?? { heights: new Set(), hasRange: false }
    namings.set(pair, known)
    known.heights.add(height)
    known.hasRange ||= isRange
  }
  const { transfers, txs } = batch
  for (let row = 0; row < transfers.count; row++) {
    const kind = u8At(transfers.kind, row)
    if (!isFungible(kind) && !isUnique(kind) && !isMultiToken(kind)) continue
    const tokenId = f64At(ids, u32At(transfers.token, row))
    const height = batch.from + u32At(txs.block, u32At(transfers.tx, row))
    for (const place of [u32At(transfers.from, row), u32At(transfers.to, row)])
      if (place !== zero) name(tokenId, f64At(ids, place), height, false)
  }
  for (const [contractId, , , ownerId, at] of rows.get(nftRange) ?? [])
    if (typeof ownerId === 'number')
      name(Number(contractId), ownerId, Math.floor(Number(at) / placesPerBlock), true)
  return namings
}

async function compareHolders(reader: Reader, namings: Namings): Promise<number> {
  let firsts = 0
  for (const [pair, { heights, hasRange }] of namings) {
    const [tokenId = 0, addressId = 0] = pair.split(' ').map(Number)
    const since = await heldSince(reader, { tokenId, addressId })
    const height = Math.min(...heights)
    if (since === undefined || (since > height && !hasRange))
      throw differs({ height, table: holding.name, column: 'since', copied: since, told: height })
    if (heights.has(since)) firsts++
  }
  return firsts
}

/** Contracts of tokens may declare a higher standard than logs show. */
async function compareTokens(reader: Reader, { rows }: ExpectedRows): Promise<void> {
  const told = rows.get(token) ?? []
  // As with holders: the first height of a contract that gave ranges depends on batches.
  const ranged = new Set((rows.get(nftRange) ?? []).map(([contractId]) => contractId))
  const select = ['standard', 'first_height']
  const ids = told.map((row) => itemAt(row, 0))
  const found = await reader.lookup({ table: token, key: ['id'], select }, [ids])
  for (const [at, row] of told.entries()) {
    const [id, standard, height] = [itemAt(row, 0), integerAt(row, 1), integerAt(row, 2)]
    const copied = found[at]
    const where = { height, table: token.name }
    if (copied === undefined) throw differs({ ...where, column: 'id', copied: undefined, told: id })
    if (integerAt(copied, 0) < standard)
      throw differs({ ...where, column: 'standard', copied: copied[0], told: standard })
    if (integerAt(copied, 1) > height && !ranged.has(id))
      throw differs({ ...where, column: 'first_height', copied: copied[1], told: height })
  }
}

async function compareOwners(reader: Reader, told: readonly Row[]): Promise<void> {
  const key = ['contract_id', 'standard', 'item']
  const keys = key.map((_, at) => told.map((row) => itemAt(row, at)))
  const found = await reader.lookup({ table: nftToken, key, select: ['owner_id', 'at'] }, keys)
  for (const [row, wanted] of told.entries()) {
    const [contractId = null, standard, item = null, ownerId = null, at] = wanted
    const copied = found[row]
    const where = { height: Math.floor(Number(at) / placesPerBlock), table: nftToken.name }
    if (copied === undefined)
      throw differs({ ...where, column: 'item', copied: undefined, told: item })
    const [owner = null, place = null] = copied
    const isMoved = standard === 721 && Number(place) > Number(at)
    if (!isMoved) {
      if (place !== at) throw differs({ ...where, column: 'at', copied: place, told: at })
      if (owner !== ownerId)
        throw differs({ ...where, column: 'owner_id', copied: owner, told: ownerId })
    } else if (!(await isGiven(reader, { contractId, item, owner, place: Number(place) })))
      throw differs({ ...where, column: 'owner_id', copied: owner, told: ownerId })
  }
}

type Given = {
  readonly contractId: Value
  readonly item: Value
  readonly owner: Value
  readonly place: number
}

/** Returns whether a copied transfer at the place moves the token to the owner; NULL: destroys it. */
async function isGiven(
  reader: Reader,
  { contractId, item, owner, place }: Given,
): Promise<boolean> {
  const height = Math.floor(place / placesPerBlock)
  const limits = [height * placesPerBlock, (height + 1) * placesPerBlock]
  const zero = await zeroId(reader)
  for (const [logIndex, kind, tokenId, to, given] of await reader.all(transfersOfBlock, limits)) {
    if (Number(logIndex) !== place % placesPerBlock || !isUnique(Number(kind))) continue
    if (tokenId !== contractId || !(given instanceof Uint8Array)) continue
    if (!isEqual(fullItem(given), item)) continue
    if (to === owner || (owner === null && to === zero)) return true
  }
  return false
}

const idOf = statement('select id from address_by_bytes where bytes = ?')

async function zeroId(reader: Reader): Promise<Value | undefined> {
  return (await reader.get(idOf, [new Uint8Array(20)]))?.[0]
}

async function compareRanges(reader: Reader, told: readonly Row[]): Promise<void> {
  for (const wanted of told) {
    const [contractId = null, first = null] = wanted
    compareRange(await reader.get(rangeOver, [contractId, first]), wanted)
  }
}

/** A later range may have cut this one; its beginning is then another one's. */
function compareRange(copied: Row | undefined, [, , last, ownerId, at]: Row): void {
  const [copiedLast, owner, place] = copied ?? []
  const where = { height: Math.floor(Number(at) / placesPerBlock), table: nftRange.name }
  if (copied === undefined || Number(place) < Number(at))
    throw differs({ ...where, column: 'at', copied: place, told: at })
  if (place !== at) return
  if (owner !== ownerId)
    throw differs({ ...where, column: 'owner_id', copied: owner, told: ownerId })
  assert(last instanceof Uint8Array, 'a range has an end')
  const isShorter = copiedLast instanceof Uint8Array && Buffer.compare(copiedLast, last) <= 0
  if (!isShorter) throw differs({ ...where, column: 'last_item', copied: copiedLast, told: last })
}

async function compareItems(reader: Reader, told: readonly Row[]): Promise<void> {
  const { key } = nftAmount
  const select = ['amount', 'negative']
  const keys = key.map((_, at) => told.map((row) => itemAt(row, at)))
  const found = await reader.lookup({ table: nftAmount, key, select }, keys)
  const names = columnNames(nftAmount)
  for (const [row, wanted] of told.entries()) {
    const copied = found[row]
    const where = { height: Number(wanted[3]), table: nftAmount.name }
    if (copied === undefined)
      throw differs({ ...where, column: 'height', copied: undefined, told: itemAt(wanted, 3) })
    for (const [at, column] of select.entries()) {
      const must = itemAt(wanted, names.indexOf(column))
      if (!isEqual(copied[at], must))
        throw differs({ ...where, column, copied: copied[at], told: must })
    }
  }
}

// Of several pieces that name somebody the oldest counts.
const sinceOf = statement('select since from holding where token_id = ? and address_id = ?', {
  over: 'oldest',
})

/** Height at which a token named an address first; `undefined` where it never did. */
export async function heldSince(
  reader: Reader,
  { tokenId, addressId }: { readonly tokenId: number; readonly addressId: number },
): Promise<number | undefined> {
  const row = await reader.get(sinceOf, [tokenId, addressId])
  return row === undefined ? undefined : integerAt(row, 0)
}

/** The amount of a magnitude and its sign. */
export function amountOf(value: Value | undefined, negative: Value | undefined): bigint {
  const size = wideInteger(value instanceof Uint8Array ? value : new Uint8Array())
  return negative === 1 ? -size : size
}

function textOf(amount: bigint | undefined): string | undefined {
  return amount === undefined ? undefined : String(amount)
}
