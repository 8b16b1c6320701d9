/** A list as a Parquet file, in groups of which one is in memory. Source: github.com/apache/parquet-format. */

import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

import { type ListColumn, type ListFile, valueOf } from './list-columns.ts'

/** Rows of a group: some 30 MB of text at most. */
const rowsPerGroup = 50_000

/** Most digits of a decimal that readers of Parquet know, and how many are behind the point. */
const digits = { precision: 38, scale: 18 } as const
const above = 10n ** BigInt(digits.precision)

const types = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  coins: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', ...digits },
} as const satisfies Readonly<Record<ListColumn['type'], object>>

/** Writes `columns` of items; what an item lacks, an empty text, and a decimal that does not fit is null. */
export function parquetList(columns: readonly ListColumn[]): ListFile {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({
        name,
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
      name: column.name,
      data: items.map((item) => cellOf(column, valueOf(column, item))),
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
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  switch (type) {
    case 'text':
      return text
    case 'integer': {
      // Gas limits of chains without fees may have 64 bits, and their column has a sign.
      const value = BigInt(text)
      return BigInt.asIntN(64, value) === value ? value : null
    }
    case 'number':
      return Number(value)
    case 'boolean':
      return value === true
    case 'date':
      return new Date(text)
    case 'coins':
      return scaled(text)
  }
}

/** In units of the last digit; null where it does not fit: its column of smallest units has it. */
function scaled(text: string): bigint | null {
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction.length > digits.scale) return null
  const value = BigInt(whole + fraction.padEnd(digits.scale, '0'))
  return value < above ? value : null
}
