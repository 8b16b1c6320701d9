/** A list as a Parquet file, in groups of which one is in memory. Source: github.com/apache/parquet-format. */

import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

import { type ListColumn, type ListFile, valueAt } from './list-format.ts'

/** Rows of a group: some 30 MB of text at most. */
const rowsPerGroup = 50_000

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  seconds: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  moment: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const satisfies Readonly<Record<ListColumn['type'], object>>

/** Writes `columns` of items; what an item lacks, and an empty text, is null. */
export function parquetList(columns: readonly ListColumn[]): ListFile {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ path, type }) => ({
        name: path.join('.'),
        repetition_type: 'OPTIONAL' as const,
        ...types[type],
      })),
    ],
    createdBy: 'firn',
  })
  let items: unknown[] = []
  const taken = (): Uint8Array => {
    const part = new Uint8Array(bytes.buffer.slice(0, bytes.index))
    bytes.index = 0
    return part
  }
  const writeGroup = (): void => {
    if (items.length === 0) return
    const columnData = columns.map((column) => ({
      name: column.path.join('.'),
      data: items.map((item) => cellOf(column, valueAt(item, column.path))),
    }))
    void writer.write({ columnData, rowGroupSize: rowsPerGroup })
    items = []
  }
  return {
    begin: () => '',
    rows: (some) => {
      for (const item of some) {
        items.push(item)
        if (items.length === rowsPerGroup) writeGroup()
      }
      return taken()
    },
    end: async () => {
      writeGroup()
      await writer.finish()
      return taken()
    },
  }
}

function cellOf({ type }: ListColumn, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return null
  switch (type) {
    case 'text':
      return typeof value === 'string' ? value : JSON.stringify(value)
    case 'integer':
      return BigInt(typeof value === 'string' ? value : Number(value))
    case 'number':
      return Number(value)
    case 'boolean':
      return value === true
    case 'seconds':
      return new Date(Number(value) * 1_000)
    case 'moment':
      return new Date(typeof value === 'string' ? value : Number(value))
  }
}
