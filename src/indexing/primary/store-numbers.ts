/**
 * Numbers for the addresses, node ids and assets of a store: the writer's side of interning.
 *
 * Numbers are given in order of first sight inside the transaction that stores the rows. After a
 * failed transaction the memory here is ahead of the store; it must be made anew.
 */

import { compareBytes, keyOf } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import { type Columns, statement, type Writer } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { newKeyTable } from './key-table.ts'

/** Numbers of one kind of key. */
export type Numbers = {
  /** Makes sure that all of `keys` have numbers, giving new ones to those not seen before. */
  readonly learn: (writer: Writer, keys: readonly Uint8Array[]) => Promise<void>
  /** Number of a key that was learned in this batch. */
  readonly of: (key: Uint8Array) => number
}

// 200,000 keys: about 20 MB, holds the addresses a mainnet day touches.
const maxKept = 200_000

/**
 * Numbers kept in `table` as `id`, beside a unique column `column`. `rest` gives
 * the further columns of new rows.
 */
export function numbersIn(
  table: Table,
  column: string,
  rest: (keys: readonly Uint8Array[]) => Columns = () => ({}),
): Numbers {
  const known = newKeyTable()
  const newest = statement(`select max(id) from ${table.name}`)
  let next: number | undefined

  const learn = async (writer: Writer, keys: readonly Uint8Array[]): Promise<void> => {
    if (known.size() > maxKept) known.clear()
    const missing = new Map<string, Uint8Array>()
    for (const key of keys) if (known.get(key) === 0) missing.set(keyOf(key), key)
    if (missing.size === 0) return
    const wanted = [...missing.values()]
    const rows = await writer.lookup({ table, key: [column], select: ['id'] }, [wanted])
    next ??= Number((await writer.get(newest))?.[0] ?? 0) + 1
    const fresh: { readonly key: Uint8Array; readonly id: number }[] = []
    for (const [at, key] of wanted.entries()) {
      const row = rows[at]
      const id = row === undefined ? next++ : Number(row[0])
      if (row === undefined) fresh.push({ key, id })
      known.add(key, id)
    }
    // The order of the table's key, where the bytes are it.
    fresh.sort((a, b) => compareBytes(a.key, b.key))
    const keysOfFresh = fresh.map(({ key }) => key)
    await writer.insert(table, {
      id: fresh.map(({ id }) => id),
      [column]: keysOfFresh,
      ...rest(keysOfFresh),
    })
  }

  const of = (key: Uint8Array): number => {
    const id = known.get(key)
    assert(id !== 0, 'every key of a batch is learned before its rows are written')
    return id
  }

  return { learn, of }
}

/** Key of an EVM account among addresses: a zero byte before its 20, as spaces are separate. */
export function evmAddressKey(address: Uint8Array): Uint8Array {
  const key = new Uint8Array(21)
  key.set(address, 1)
  return key
}
