/** Writes UTXOs, and what becomes of them. */

import { assert } from '../../core/fault.ts'
import { Doubles } from '../../core/growing.ts'
import { ByteColumn } from '../../store/engine/byte-column.ts'
import type { Reader, Writer } from '../../store/engine/database.ts'
import { utxosAt } from '../../store/query/primary/utxos-at.ts'
import {
  lateSpend,
  spend,
  stakeReturn,
  strayUtxo,
  utxo,
} from '../../store/schema/primary-ledger.ts'
import { posOfPlace } from '../../store/schema/primary-position.ts'
import { gather, radixOrder } from '../radix-order.ts'
import type { StakeReturnRow } from './ledger-rows.ts'
import type { RowBatch } from './rows.ts'

/** Writes the UTXOs of a batch. */
export async function writeUtxos(writer: Writer, { ledger }: RowBatch): Promise<void> {
  const { last, body } = ledger.utxoRows
  await writer.insert(utxo, {
    id: last,
    body: new ByteColumn(ledger.arena, body, { count: last.length }),
  })
  const { prefix, number: strays } = ledger.strays
  const order = radixOrder(prefix)
  await writer.insert(strayUtxo, { prefix: gather(prefix, order), utxo: gather(strays, order) })
}

/** Writes which UTXOs were spent, of this batch and of earlier ones. */
export async function writeSpends(writer: Writer, batch: RowBatch): Promise<void> {
  const { made, spent } = batch.ledger
  const rows = spent.count + made.count
  const numbers = new Doubles(rows)
  const places = new Doubles(rows)
  const times = new Doubles(rows)
  for (const held of [spent, made]) {
    for (let at = 0; at < held.count; at++) {
      const pos = held.spentPos[at] ?? 0
      if (pos === 0) continue
      numbers.push(held.number[at] ?? 0)
      places.push(pos)
      times.push(held.spentAt[at] ?? 0)
    }
  }
  const order = radixOrder(numbers.taken())
  await writer.insert(spend, {
    utxo: gather(numbers.taken(), order),
    pos: gather(places.taken(), order),
    spent_at: gather(times.taken(), order),
  })
  const late = batch.importCompletions
  await writer.insert(lateSpend, {
    pos: late.map(({ consumed }) => posOfPlace(consumed)),
    utxo: late.map((row) => row.utxo.number),
  })
}

/** Writes which stakes came back, of this batch and of earlier ones. */
export async function writeStakeReturns(
  writer: Writer,
  returns: readonly StakeReturnRow[],
): Promise<void> {
  const numbers = Float64Array.from(await numbersOf(writer, returns))
  const order = radixOrder(numbers)
  await writer.insert(stakeReturn, {
    utxo: gather(numbers, order),
    returned_at: gather(
      returns.map(({ time }) => time),
      order,
    ),
  })
}

async function numbersOf(reader: Reader, returns: readonly StakeReturnRow[]): Promise<number[]> {
  const unknown = returns.filter(({ number }) => number === undefined)
  const found = await utxosAt(reader, unknown)
  const ids = found.values()
  return returns.map(({ number }) => {
    const known = number ?? ids.next().value?.id
    assert(known !== undefined, 'what comes back is stored')
    return known
  })
}
