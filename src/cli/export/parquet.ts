/** Rows as a Parquet file, in groups of which one is in memory. */

import { closeSync, openSync, writeSync } from 'node:fs'

import { ParquetWriter, ByteWriter } from 'hyparquet-writer'

import { Fault } from '../../core/fault.ts'
import { ownValue } from '../../core/own-value.ts'
import type { RowSink } from './row-sink.ts'
import type { Row } from './rows.ts'

/** Rows of a group: some 30 MB of text at most. */
const rowsPerGroup = 50_000

type Column = {
  readonly name: string
  readonly type: 'BYTE_ARRAY' | 'INT64'
  readonly converted: 'UTF8' | 'TIMESTAMP_MILLIS' | undefined
  readonly valueOf: (text: string) => string | bigint | Date
}

/** Columns that are no text. Amounts stay text: they may have 256 bits, and fractions. */
const typed: Readonly<Record<string, Omit<Column, 'name'>>> = {
  date: {
    type: 'INT64',
    converted: 'TIMESTAMP_MILLIS',
    valueOf: (text) => new Date(text),
  },
  stakedFrom: {
    type: 'INT64',
    converted: 'TIMESTAMP_MILLIS',
    valueOf: (text) => new Date(text),
  },
  blockNumber: { type: 'INT64', converted: undefined, valueOf: BigInt },
  logIndex: { type: 'INT64', converted: undefined, valueOf: BigInt },
  txCount: { type: 'INT64', converted: undefined, valueOf: BigInt },
  gasUsed: { type: 'INT64', converted: undefined, valueOf: BigInt },
  gasLimit: { type: 'INT64', converted: undefined, valueOf: BigInt },
}
const asText: Omit<Column, 'name'> = {
  type: 'BYTE_ARRAY',
  converted: 'UTF8',
  valueOf: (text) => text,
}

/**
 * Writes rows of `columns` into the file `path`; an empty cell is null. The file is readable once the
 * sink was ended. Throws `bad-parameter` where it cannot be made, `store-failed` where it cannot be
 * written.
 */
export function openParquet(path: string, columns: readonly string[]): RowSink {
  const of = columns.map((name) => ({ name, ...(ownValue(typed, name) ?? asText) }))
  const file = fileAt(path)
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: of.length },
      ...of.map(({ name, type, converted }) => ({
        name,
        type,
        repetition_type: 'OPTIONAL' as const,
        ...(converted === undefined ? {} : { converted_type: converted }),
      })),
    ],
    createdBy: 'firn',
  })
  let rows: Row[] = []
  /** Writes the bytes encoded so far to the file. */
  const flush = (): void => {
    file.write(new Uint8Array(bytes.buffer, 0, bytes.index))
    bytes.index = 0
  }
  const writeGroup = (): void => {
    if (rows.length === 0) return
    const columnData = of.map(({ name, valueOf }) => ({
      name,
      data: rows.map((row) => {
        const text = ownValue(row, name) ?? ''
        return text === '' ? null : valueOf(text)
      }),
    }))
    void writer.write({ columnData, rowGroupSize: rowsPerGroup })
    rows = []
    flush()
  }
  return {
    closed: () => false,
    write: async (row) => {
      rows.push(row)
      if (rows.length === rowsPerGroup) writeGroup()
    },
    end: async () => {
      writeGroup()
      await writer.finish()
      flush()
      file.close()
    },
  }
}

function fileAt(path: string): {
  readonly write: (part: Uint8Array) => void
  readonly close: () => void
} {
  let file: number
  try {
    file = openSync(path, 'w')
  } catch (cause) {
    throw new Fault('bad-parameter', `file cannot be written: ${path}`, { cause })
  }
  return {
    write: (part) => {
      try {
        for (let at = 0; at < part.length;) at += writeSync(file, part, at)
      } catch (cause) {
        throw new Fault('store-failed', 'the export cannot be written', { cause })
      }
    },
    close: () => closeSync(file),
  }
}
