/**
 * Numbers for the addresses, node ids and assets of a store: the writer's side of interning.
 *
 * Numbers are given in order of first sight inside the transaction that stores the rows. After a
 * failed transaction the memory here is ahead of the store; it must be made anew.
 */

import { concatBytes } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { f64At, itemAt } from '../../../core/item-at.ts'
import { type Columns, statement, type Writer } from '../../../store/engine/database.ts'
import { prefixOf } from '../../../store/schema/primary/position.ts'
import type { Table } from '../../../store/schema/table.ts'
import { radixOrder } from '../../stream/radix-order.ts'
import { KeyTable } from '../batch/key-table.ts'

/** Keys in one piece of memory: key `i` is bytes `[from[i], until[i])`. */
export type Keys = {
  readonly bytes: Uint8Array
  readonly from: Uint32Array
  readonly until: Uint32Array
}

/** Numbers of one kind of key. */
export type Numbers = {
  /** Numbers of `keys`, in their order; those not seen before get new ones. */
  readonly numberAll: (writer: Writer, keys: Keys) => Promise<Float64Array>
  /** Number of a key that was among those of the newest `numberAll`. */
  readonly of: (key: Uint8Array) => number
}

/** Keys that lie apart. */
export function keysIn(list: readonly Uint8Array[]): Keys {
  const from = new Uint32Array(list.length)
  const until = new Uint32Array(list.length)
  let end = 0
  for (const [at, key] of list.entries()) {
    from[at] = end
    end += key.length
    until[at] = end
  }
  return { bytes: concatBytes(...list), from, until }
}

// 200,000 keys: about 20 MB, holds the addresses a mainnet day touches.
const maxKept = 200_000

/**
 * Numbers kept in `table` as `id`, beside a unique column `column`. `rest` gives the further
 * columns of new rows.
 */
export function numbersIn(
  table: Table,
  column: string,
  rest: (keys: readonly Uint8Array[]) => Columns = () => ({}),
): Numbers {
  const known = new KeyTable()
  const newest = statement(`select max(id) from ${table.name}`)
  let next: number | undefined

  const numberAll: Numbers['numberAll'] = async (writer, { bytes, from, until }) => {
    if (known.size() > maxKept) known.clear()
    const numbers = new Float64Array(from.length)
    // A number that is not in memory is minus its place among the missing until the
    // store was read.
    const missing: Uint8Array[] = []
    for (let at = 0; at < numbers.length; at++) {
      const next = -1 - missing.length
      const number = known.add(bytes, next, from[at], until[at])
      if (number === next) missing.push(bytes.subarray(from[at], until[at]))
      numbers[at] = number
    }
    if (missing.length === 0) return numbers
    const found = await numberMissing(writer, missing)
    for (const [at, key] of missing.entries()) known.change(key, itemAt(found, at))
    for (let at = 0; at < numbers.length; at++) {
      const number = f64At(numbers, at)
      if (number < 0) numbers[at] = itemAt(found, -number - 1)
    }
    return numbers
  }

  const numberMissing = async (writer: Writer, keys: readonly Uint8Array[]): Promise<number[]> => {
    const rows = await writer.lookup({ table, key: [column], select: ['id'] }, [keys])
    next ??= Number((await writer.get(newest))?.[0] ?? 0) + 1
    const numbers: number[] = []
    const fresh: Uint8Array[] = []
    const ids: number[] = []
    for (const [at, key] of keys.entries()) {
      const row = rows[at]
      if (row === undefined) {
        fresh.push(key)
        ids.push(next)
      }
      numbers.push(row === undefined ? next++ : Number(row[0]))
    }
    // Near enough the order of the table's key, where the bytes are it.
    const order = [...radixOrder(Float64Array.from(fresh, prefixOf))]
    const sorted = order.map((at) => itemAt(fresh, at))
    await writer.insert(table, {
      id: order.map((at) => itemAt(ids, at)),
      [column]: sorted,
      ...rest(sorted),
    })
    return numbers
  }

  return { numberAll, of: rememberingLast(known) }
}

/** One array is looked up again and again: an asset's id is nearly always the last one. */
function rememberingLast(known: KeyTable): Numbers['of'] {
  let lastKey: Uint8Array | undefined
  let lastId = 0
  return (key) => {
    if (key === lastKey) return lastId
    const id = known.get(key)
    assert(id > 0, 'every key of a batch is numbered before its rows are written')
    lastKey = key
    lastId = id
    return id
  }
}
