/**
 * New rows by binary COPY, which takes the server two thirds of what an insert from arrays takes.
 *
 * Layout (postgres `COPY`, "Binary Format"): a signature, flags, the length of a header extension;
 * then per row the number of its values, and per value its length (-1 for NULL) and bytes as the
 * type's `send` function gives them; at the end -1. All big-endian.
 */

import type pg from 'pg'

import { Fault } from '../../core/fault.ts'
import { type Column, type Columns, type Value, valueAt } from './database.ts'
import { baseType } from './ddl.ts'
import { writeInteger } from './postgres-arrays.ts'
import type { Table } from './table.ts'

const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const end = -1

/** Bytes of one message to the server. */
const chunkBytes = 262_144

/** A row as long as most are; the memory grows where they are longer. */
const usualRowBytes = 96

/** Rows `[from, until)` of `columns`, whose names are `names`, as the whole of a COPY. */
export function copyBytes(
  table: Table,
  names: readonly string[],
  rows: { readonly columns: Columns; readonly from: number; readonly until: number },
): Buffer {
  const { columns, from, until } = rows
  const parts = names.map((name): Part => {
    const base = baseType(table.columns[name] ?? 'integer')
    const values = columns[name] ?? []
    return base === 'bytes' || base === 'text'
      ? { values, isInteger: false }
      : { values, isInteger: true }
  })
  const out = new CopyMemory((until - from) * usualRowBytes)
  out.bytes(signature)
  for (let row = from; row < until; row++) {
    out.int16(parts.length)
    for (const { values, isInteger } of parts) {
      const value = valueAt(values, row)
      if (value === null) out.int32(-1)
      else if (isInteger) out.integer(value)
      else out.string(value)
    }
  }
  out.int16(end)
  return out.taken()
}

type Part = { readonly values: Column; readonly isInteger: boolean }

/** Memory that grows while it is written. */
class CopyMemory {
  #memory: Buffer
  #at = 0

  constructor(bytes: number) {
    this.#memory = Buffer.allocUnsafe(bytes + 64)
  }

  int16(value: number): void {
    this.#reserve(2)
    this.#at = this.#memory.writeInt16BE(value, this.#at)
  }

  int32(value: number): void {
    this.#reserve(4)
    this.#at = this.#memory.writeInt32BE(value, this.#at)
  }

  /** A value of type `bigint` with its length. */
  integer(value: Value): void {
    this.#reserve(12)
    this.#at = this.#memory.writeInt32BE(8, this.#at)
    this.#at = writeInteger(this.#memory, value, this.#at)
  }

  /** A value of type `bytea` or `text` with its length. */
  string(value: Value): void {
    if (value instanceof Uint8Array) {
      this.int32(value.length)
      this.bytes(value)
      return
    }
    if (typeof value !== 'string')
      throw new Fault('store-failed', `bytes or text column was given: ${String(value)}`)
    const size = Buffer.byteLength(value)
    this.int32(size)
    this.#reserve(size)
    this.#at += this.#memory.write(value, this.#at)
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#memory.set(value, this.#at)
    this.#at += value.length
  }

  taken(): Buffer {
    return this.#memory.subarray(0, this.#at)
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#memory.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#memory.length * 2, this.#at + size))
    grown.set(this.#memory.subarray(0, this.#at))
    this.#memory = grown
  }
}

/** The part of a connection that takes rows; the driver has it, its types do not. */
type CopyConnection = {
  readonly sendCopyFromChunk: (chunk: Buffer) => void
  readonly endCopyFrom: () => void
}

/**
 * A COPY as the driver runs it. Calls of the driver: `submit`, then `handle…` for each message of
 * the server; it may wrap `callback` with a limit of time.
 */
export class CopyIn implements pg.Submittable {
  readonly done: Promise<void>
  callback: (error?: Error) => void
  readonly #text: string
  readonly #bytes: Buffer

  /** `text`: the statement; `bytes`: all that it reads. */
  constructor(text: string, bytes: Buffer) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.done = promise
    this.callback = (error) => (error === undefined ? resolve() : reject(error))
    this.#text = text
    this.#bytes = bytes
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#text)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (let from = 0; from < this.#bytes.length; from += chunkBytes)
      connection.sendCopyFromChunk(this.#bytes.subarray(from, from + chunkBytes))
    connection.endCopyFrom()
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleCommandComplete(): void {
    // Only the readiness of the server matters here.
  }

  handleReadyForQuery(): void {
    this.callback()
  }
}

/** Statement that reads rows with values of `names`. */
export function copySql(table: Table, names: readonly string[]): string {
  return `copy ${table.name} (${names.join(', ')}) from stdin (format binary)`
}
