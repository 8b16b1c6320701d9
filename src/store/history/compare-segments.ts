/** Compares the rows of two segments. */

import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'

import { equalBytes } from '../../core/bytes.ts'
import { block } from '../schema/evm.ts'
import { columnNames, type Table } from '../schema/table.ts'
import { immutable } from '../sqlite/connection.ts'

/**
 * The first of `tables` whose rows differ between two segments; `undefined` where none does: versions of SQLite
 * and zstd make other bytes of the same rows. Inputs of blocks are compared unpacked.
 *
 * Cost: every row of one file is looked up in the other.
 */
export function differingTable(
  { copied, made }: { readonly copied: string; readonly made: string },
  tables: readonly Table[],
): string | undefined {
  using files = new DatabaseSync(':memory:')
  files.function('unpacks_same', (copied, made) => Number(unpacksSame(copied, made)))
  for (const [name, path] of Object.entries({ copied, made }))
    files.exec(`attach '${immutable(path).href.replaceAll("'", "''")}' as ${name}`)
  return tables.find((table) => differs(files, table))?.name
}

function differs(files: DatabaseSync, table: Table): boolean {
  const { name, key } = table
  // A copied file may be of a layout with fewer columns.
  const copiedColumns = new Set(
    files
      .prepare(`select name from pragma_table_info('${name}', 'copied')`)
      .all()
      .map(({ name }) => name),
  )
  const sameKey = key.map((column) => `c.${column} is m.${column}`).join(' and ')
  const common = columnNames(table).filter((column) => copiedColumns.has(column))
  const others = common.map((column) => {
    const isPacked = table === block && column === 'inputs'
    return isPacked
      ? `not unpacks_same(c.${column}, m.${column})`
      : `c.${column} is not m.${column}`
  })
  const numbers = `select (select count(*) from copied.${name}), (select count(*) from made.${name})`
  const [copied, made] = Object.values(files.prepare(numbers).get() ?? {})
  if (copied !== made) return true
  const first = `select 1 from made.${name} m left join copied.${name} c on ${sameKey} where ${others.join(' or ')} limit 1`
  return files.prepare(first).get() !== undefined
}

/**
 * `copied`: the file is from elsewhere, so its bytes may not come from our compressor, and may
 * unpack to very much.
 */
function unpacksSame(copied: SQLOutputValue, made: SQLOutputValue): boolean {
  if (!(copied instanceof Uint8Array) || !(made instanceof Uint8Array)) return copied === made
  if (equalBytes(copied, made)) return true
  if (made.length === 0) return false
  const plain = zstdDecompressSync(made)
  try {
    return equalBytes(zstdDecompressSync(copied, { maxOutputLength: plain.length }), plain)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
