/**
 * Rows that blocks of a node make over a copied history: the code that writes a batch runs with a writer
 * that keeps the rows instead. There is one way to make rows, and the copy is compared with its rows.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns.ts'
import { keyOf } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { wideInteger } from '../../../core/wide-integer.ts'
import {
  type Column,
  type Columns,
  columnOf,
  type Lookup,
  type Reader,
  type Row,
  statement,
  valueAt,
  type Writer,
} from '../../../store/engine/database.ts'
import { columnNames, type Table } from '../../../store/engine/table.ts'
import { balanceAt } from '../../../store/query/evm/balance-at.ts'
import { casesOf } from '../../../store/query/evm/case-of-address.ts'
import { address, addressByBytes, balance, token } from '../../../store/schema/evm.ts'
import { nftAmount, nftToken } from '../../../store/schema/nft.ts'
import { placeOfZero, writeFacts } from '../write/apply-blocks.ts'
import { writeInternals } from '../write/apply-traces.ts'
import { writeBalances } from '../write/balances.ts'
import { Interner } from '../write/intern.ts'
import { writeNfts } from '../write/nft-rows.ts'
import { writeTokens } from '../write/transfer-rows.ts'
import { differs } from './difference.ts'

/** Blocks of a node, and their traces where these are compared. */
export type ToldBlocks = {
  readonly batch: BlockBatch
  readonly traces?: TraceBatch
}

/** Rows that told blocks make. */
export type ExpectedRows = {
  /** By table, every column in the order of the table. */
  readonly rows: ReadonlyMap<Table, readonly Row[]>
  /** Balances before the blocks, by `<address id> <token id>`; none for a pair that had none. */
  readonly before: ReadonlyMap<string, bigint>
  /** Numbers of the addresses of the batch. */
  readonly ids: Float64Array
}

/** Addresses that logs name in their data: few, and new ones for each batch. */
const fewAddresses = 256

const lastTx = statement('select first_tx + tx_count from block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})
const amountBefore = statement(
  `select amount, negative from nft_amount
   where owner_id = ? and contract_id = ? and item = ? and height < ? order by height desc limit 1`,
)

/**
 * Rows that `told` makes after what `reader` has below it. `isFirst` says that nothing is below it.
 * Throws `source-mismatch` for an address that has another number in the copy, or none.
 */
export async function expectedRows(
  reader: Reader,
  { batch, traces }: ToldBlocks,
  isFirst: boolean,
): Promise<ExpectedRows> {
  const { from } = batch
  const kept = new KeptRows(reader, from)
  const { writer, rows, before } = kept
  const ids = await numbersOf(reader, batch.addresses, from)
  const counted = isFirst ? [0] : await reader.get(lastTx, [from - 1])
  assert(counted !== undefined, 'the block before one that is compared is stored')
  const heights = await writeFacts(writer, { batch, ids }, Number(counted[0]))
  const zero = placeOfZero(batch.addresses)
  await writeTokens(writer, batch, { ids, heights })
  const stored = Number.POSITIVE_INFINITY
  await writeBalances(writer, { batch, ids, zero, heights, stored })
  await writeNfts(writer, { batch, ids, zero, heights }, new Interner(fewAddresses))
  if (traces !== undefined)
    await writeInternals(writer, traces, await numbersOf(reader, traces.addresses, from))
  return { rows, before, ids }
}

/** A writer that keeps what is written, and sees amounts as they were below a height. */
class KeptRows {
  readonly rows = new Map<Table, Row[]>()
  readonly before = new Map<string, bigint>()
  readonly writer: Writer
  readonly #reader: Reader
  readonly #from: number

  constructor(reader: Reader, from: number) {
    this.#reader = reader
    this.#from = from
    const insert = (table: Table, columns: Columns): void => this.#keep(table, columns)
    this.writer = {
      // Ranges of NFTs: each is compared as its log made it.
      all: () => [],
      get: reader.get,
      lookup: (lookup, keys) => this.#lookup(lookup, keys),
      insert,
      insertNew: insert,
      run: refused,
      upsert: refused,
      update: (_table, columns) => assert(isEmpty(columns), 'every row is expected as a new one'),
      remove: refused,
      clear: refused,
    }
  }

  #keep(table: Table, columns: Columns): void {
    const own = columnNames(table)
    const count = Object.values(columns)[0]?.length ?? 0
    const kept = this.rows.get(table) ?? []
    this.rows.set(table, kept)
    const given = own.map((name) => (name in columns ? columnOf(columns, name) : undefined))
    for (let row = 0; row < count; row++)
      kept.push(given.map((column) => (column === undefined ? null : valueAt(column, row))))
  }

  async #lookup(lookup: Lookup, keys: readonly Column[]): Promise<(Row | undefined)[]> {
    const { table, last } = lookup
    const count = keys[0]?.length ?? 0
    if (table === token || table === nftToken) return Array.from({ length: count }, () => undefined)
    if (last === undefined) return this.#numbers(lookup, keys)
    const found: (Row | undefined)[] = []
    for (let at = 0; at < count; at++) found.push(await this.#newest(table, keys, at))
    return found
  }

  async #newest(table: Table, keys: readonly Column[], at: number): Promise<Row | undefined> {
    const key = keys.map((column) => valueAt(column, at))
    if (table === nftAmount) return this.#reader.get(amountBefore, [...key, this.#from])
    assert(table === balance, 'only amounts have a newest row')
    const [addressId, tokenId] = key.map(Number)
    assert(addressId !== undefined && tokenId !== undefined, 'a balance has two keys')
    const height = this.#from - 1
    const found = await balanceAt(this.#reader, { addressId, tokenId, height })
    if (found === undefined) return undefined
    const size = wideInteger(found.value)
    this.before.set(`${addressId} ${tokenId}`, found.negative === 1 ? -size : size)
    return [found.value, found.negative]
  }

  /** Numbers of addresses that logs name in their data. */
  async #numbers(lookup: Lookup, keys: readonly Column[]): Promise<(Row | undefined)[]> {
    assert(lookup.table === addressByBytes, 'only addresses are looked up besides amounts')
    const rows = await this.#reader.lookup(lookup, keys)
    for (const [at, row] of rows.entries())
      if (row === undefined) throw unknownAddress(this.#from, valueAt(itemAt(keys, 0), at))
    return rows
  }
}

function refused(): never {
  throw new Error('broken invariant: rows of blocks are only added')
}

function isEmpty(columns: Columns): boolean {
  return Object.values(columns).every(({ length }) => length === 0)
}

/**
 * Numbers of the addresses of a batch in the copy, both ways. Throws `source-mismatch` where one has
 * none, or another one's.
 */
async function numbersOf(
  reader: Reader,
  addresses: Uint8Array,
  height: number,
): Promise<Float64Array> {
  const bytes = Array.from({ length: addresses.length / 20 }, (_, at) =>
    addresses.subarray(at * 20, at * 20 + 20),
  )
  const found = await reader.lookup({ table: addressByBytes, key: ['bytes'], select: ['id'] }, [
    bytes,
  ])
  const ids = found.map((row, at) => {
    if (row === undefined) throw unknownAddress(height, itemAt(bytes, at))
    return Number(row[0])
  })
  const select = ['bytes', 'cased']
  const back = await reader.lookup({ table: address, key: ['id'], select }, [ids])
  const cases = casesOf(bytes)
  for (const [at, row] of back.entries()) {
    const told = itemAt(bytes, at)
    const [copied, cased] = row ?? []
    const of = { height, table: address.name }
    if (!(copied instanceof Uint8Array) || keyOf(copied) !== keyOf(told))
      throw differs({ ...of, column: 'bytes', copied, told })
    if (cased !== cases[at])
      throw differs({ ...of, column: 'cased', copied: cased, told: cases[at] })
  }
  return Float64Array.from(ids)
}

function unknownAddress(height: number, told: Row[number]): Error {
  return differs({ height, table: addressByBytes.name, column: 'bytes', copied: undefined, told })
}
