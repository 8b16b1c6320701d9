/**
 * Outputs made and spent by the blocks of a batch, as columns: no object outlives its transaction,
 * and a writer on another thread is handed the buffers.
 *
 * Addresses are named by their places in the batch, so that the store looks each up once.
 */

import {
  bigs,
  bytesOf,
  type ColumnsOf,
  columnTable,
  doubles,
  type GrowingColumns,
  type RowOf,
  words,
} from '../../../core/columns.ts'
import { Doubles, Words } from '../../../core/growing.ts'
import { u8At } from '../../../core/item-at.ts'
import type { PackArena } from '../../../store/schema/packed/packed.ts'
import { txBody, type TxBody } from '../../../store/schema/primary/bodies.ts'
import {
  mostUtxosInRow,
  type PackedUtxo,
  utxoOutput,
  utxoRowHead,
} from '../../../store/schema/primary/utxo-row.ts'
import { KeyTable } from './key-table.ts'

/** Byte strings of an arena, by row. */
export type Slices = { readonly offset: Uint32Array; readonly length: Uint32Array }

/** Lists of places of addresses, by row: those of row `i` end at `until[i]`. */
export type OwnerLists = { readonly places: Uint32Array; readonly until: Uint32Array }

/** UTXOs as lists of addresses show them. Times are Unix seconds, chains `chainNumbers`. */
const heldTable = columnTable({
  number: doubles,
  createdAt: doubles,
  amount: bigs,
  /** As `packTraits` says. */
  traits: doubles,
  createdOn: words,
  consumableOn: words,
  /** Place and time of the transaction that spent it in this batch; 0 where none did. */
  spentPos: doubles,
  spentAt: doubles,
})
/** A row of {@link Held} without its owners. */
export type HeldRow = RowOf<typeof heldTable.kinds>
/** Columns of UTXOs and their owners. */
export type Held = ColumnsOf<typeof heldTable> & { readonly owners: OwnerLists }

/** Transactions, but for their bodies and owners. */
const transactionTable = columnTable({ pos: doubles, txId: bytesOf(32), type: words })

/** UTXOs that are not found by the transaction they are named for. */
const strayTable = columnTable({ prefix: doubles, number: doubles })

/** Rows of a batch. Bodies lie in `arena`. */
export type LedgerColumns = {
  readonly arena: Uint8Array
  /** Distinct addresses, {@link addressStride} bytes each: 0 before an EVM account's, else 1. */
  readonly addresses: Uint8Array
  readonly transactions: ColumnsOf<typeof transactionTable> & {
    readonly body: Slices
    readonly owners: OwnerLists
  }
  /** UTXOs the batch made, in the order of their numbers. */
  readonly made: Held
  /** Their rows in the store, see `schema/primary/utxo-row.ts`: number of the last, and the body. */
  readonly utxoRows: { readonly last: Float64Array; readonly body: Slices }
  /** UTXOs of earlier batches it spent. */
  readonly spent: Held
  /** UTXOs it made that are not found by the transaction they are named for. */
  readonly strays: ColumnsOf<typeof strayTable>
}

/** Bytes of an address of {@link LedgerColumns}. */
export const addressStride = 21

/** Addresses of a batch, numbered from 0 as they are met. */
class BatchAddresses {
  readonly #places = new KeyTable()
  readonly #account = new Uint8Array(addressStride)
  #bytes = new Uint8Array(addressStride * 1_024)
  #count = 0

  /** Place of the address in the 20 bytes from `from` on. */
  placeOf(bytes: Uint8Array, from: number): number {
    const place = this.#places.add(bytes, this.#count + 1, from, from + addressStride - 1) - 1
    if (place === this.#count) this.#append(bytes, from, 1)
    return place
  }

  /** Place of an EVM account, which equals no address of another kind. */
  placeOfAccount(address: Uint8Array): number {
    this.#account.set(address, 1)
    const place = this.#places.add(this.#account, this.#count + 1) - 1
    if (place === this.#count) this.#append(address, 0, 0)
    return place
  }

  #append(bytes: Uint8Array, from: number, kind: 0 | 1): void {
    const at = this.#count++ * addressStride
    if (at === this.#bytes.length) {
      const grown = new Uint8Array(at * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes[at] = kind
    for (let byte = 1; byte < addressStride; byte++) {
      this.#bytes[at + byte] = u8At(bytes, from + byte - 1)
    }
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#count * addressStride)
  }
}

/** Lists of owners while they grow. */
export class GrowingOwners {
  readonly #places: Words
  readonly #until: Words
  #start = 0

  constructor(rows: number) {
    this.#places = new Words(rows)
    this.#until = new Words(rows)
  }

  /** Adds an owner to the list of a row, where it stands once. */
  push(place: number): void {
    for (let at = this.#start; at < this.#places.length; at++) {
      if (this.#places.at(at) === place) return
    }
    this.#places.push(place)
  }

  /** Ends the list of a row. */
  end(): void {
    this.#start = this.#places.length
    this.#until.push(this.#start)
  }

  taken(): OwnerLists {
    return { places: this.#places.taken(), until: this.#until.taken() }
  }
}

/** UTXOs while they grow. */
class GrowingHeld {
  readonly columns: GrowingColumns<typeof heldTable.kinds>
  readonly owners: GrowingOwners

  constructor(rows: number) {
    this.columns = heldTable.growing(rows, undefined)
    this.owners = new GrowingOwners(rows)
  }

  /** Begins a row. */
  push(row: HeldRow): void {
    heldTable.append(this.columns, row)
  }

  taken(): Held {
    return { ...heldTable.taken(this.columns), owners: this.owners.taken() }
  }
}

/** Bytes packed into an arena, by row. */
export class GrowingBodies {
  readonly #arena: PackArena
  readonly #offset: Words
  readonly #length: Words

  constructor(arena: PackArena, rows: number) {
    this.#arena = arena
    this.#offset = new Words(rows)
    this.#length = new Words(rows)
  }

  /** A row whose bytes were packed from `from` on. */
  pushFrom(from: number): void {
    this.#offset.push(from)
    this.#length.push(this.#arena.used - from)
  }

  taken(): Slices {
    return { offset: this.#offset.taken(), length: this.#length.taken() }
  }
}

/** A UTXO's place in its row: it follows the one before, or begins another row. */
export type UtxoPlace = {
  readonly number: number
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly createdPos: number
  readonly createdAt: number
}

/** Rows of UTXOs. */
class GrowingUtxoRows {
  readonly #arena: PackArena
  readonly #last: Doubles
  readonly #body: GrowingBodies
  #from = 0
  #count = 0
  #newest: UtxoPlace | undefined

  constructor(arena: PackArena, rows: number) {
    this.#arena = arena
    this.#last = new Doubles(rows)
    this.#body = new GrowingBodies(arena, rows)
  }

  /** Adds the UTXO whose number is next. */
  push(place: UtxoPlace, output: PackedUtxo): void {
    if (!this.#follows(place)) {
      this.end()
      const { txId, outputIndex: firstIndex, createdPos, createdAt } = place
      this.#from = this.#arena.used
      utxoRowHead.append(this.#arena, { txId, firstIndex, createdPos, createdAt })
    }
    utxoOutput.append(this.#arena, output)
    this.#newest = place
    this.#count++
  }

  #follows({ txId, outputIndex, createdPos }: UtxoPlace): boolean {
    const before = this.#newest
    return (
      before !== undefined &&
      before.txId === txId &&
      before.outputIndex + 1 === outputIndex &&
      before.createdPos === createdPos &&
      this.#count < mostUtxosInRow
    )
  }

  /** Ends the row: something else is packed next. */
  end(): void {
    if (this.#newest === undefined) return
    this.#last.push(this.#newest.number)
    this.#body.pushFrom(this.#from)
    this.#newest = undefined
    this.#count = 0
  }

  taken(): { readonly last: Float64Array; readonly body: Slices } {
    this.end()
    return { last: this.#last.taken(), body: this.#body.taken() }
  }
}

/** Expected contents of a batch; it may hold more. */
export type LedgerRoom = { readonly transactions: number; readonly bytes: number }

// Near the head a batch is one block.
const leastRoom: LedgerRoom = { transactions: 32, bytes: 16_384 }

/** A batch's columns while they grow. */
export class Ledger {
  readonly arena: PackArena
  readonly addresses = new BatchAddresses()
  readonly made: GrowingHeld
  readonly utxoRows: GrowingUtxoRows
  readonly spent: GrowingHeld
  readonly #transactions: GrowingColumns<typeof transactionTable.kinds>
  readonly #txBody: GrowingBodies
  readonly txOwners: GrowingOwners
  readonly #strays = strayTable.growing(0, undefined)

  constructor({ transactions, bytes }: LedgerRoom = leastRoom) {
    this.arena = { bytes: new Uint8Array(bytes), used: 0 }
    this.#transactions = transactionTable.growing(transactions, undefined)
    this.#txBody = new GrowingBodies(this.arena, transactions)
    this.txOwners = new GrowingOwners(transactions)
    this.made = new GrowingHeld(transactions)
    this.utxoRows = new GrowingUtxoRows(this.arena, transactions)
    this.spent = new GrowingHeld(transactions)
  }

  /** Transactions there are by now. */
  transactionCount(): number {
    return transactionTable.rowsOf(this.#transactions)
  }

  /** Adds a transaction with the owners noted for it, and `body`. */
  pushTransaction(row: RowOf<typeof transactionTable.kinds>, body: TxBody): void {
    this.utxoRows.end()
    const from = this.arena.used
    txBody.append(this.arena, body)
    this.#txBody.pushFrom(from)
    this.txOwners.end()
    transactionTable.append(this.#transactions, row)
  }

  /** Adds a UTXO that is not found by the transaction it is named for. */
  pushStray(row: RowOf<typeof strayTable.kinds>): void {
    strayTable.append(this.#strays, row)
  }

  /** Room for as much again and a little more. */
  room(): LedgerRoom {
    const more = (size: number): number => Math.ceil(size * 1.1)
    return {
      transactions: Math.max(leastRoom.transactions, more(this.transactionCount())),
      bytes: Math.max(leastRoom.bytes, more(this.arena.used)),
    }
  }

  taken(): LedgerColumns {
    return {
      arena: this.arena.bytes.subarray(0, this.arena.used),
      addresses: this.addresses.taken(),
      transactions: {
        ...transactionTable.taken(this.#transactions),
        body: this.#txBody.taken(),
        owners: this.txOwners.taken(),
      },
      made: this.made.taken(),
      utxoRows: this.utxoRows.taken(),
      spent: this.spent.taken(),
      strays: strayTable.taken(this.#strays),
    }
  }
}
