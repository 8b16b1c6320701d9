/** Writes UTXOs, and what becomes of them. */

import { placeOfKey } from '../../../codec/primary/ids.ts'
import { outputContent } from '../../../codec/primary/output-content.ts'
import { assert } from '../../../core/fault.ts'
import { Words } from '../../../core/growing.ts'
import { f64At } from '../../../core/item-at.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { Reader, Writer } from '../../../store/engine/database.ts'
import { orderedNumbersAt, utxosAt, type StoredUtxo } from '../../../store/query/primary/utxos.ts'
import { earlyImportBody } from '../../../store/schema/primary/bodies.ts'
import { packTraits } from '../../../store/schema/primary/holding.ts'
import {
  lateSpend,
  spend,
  stakeReturn,
  strayUtxo,
  utxo,
  earlyImport,
} from '../../../store/schema/primary/ledger.ts'
import { posOfPlace, placeOfPos, utxoKinds } from '../../../store/schema/primary/position.ts'
import { gather, radixOrder } from '../../stream/radix-order.ts'
import { type StakeReturnRow, outputFlags, type KnownUtxo } from '../batch/ledger-rows.ts'
import type { Held } from '../batch/ledger.ts'
import type { RowBatch } from '../batch/rows.ts'
import type { Found, KnownImport, Wanted } from '../batch/stored-state.ts'

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
  const earlier = spentRows(spent)
  const own = spentRows(made)
  const columnOf = (name: 'number' | 'spentPos' | 'spentAt'): Float64Array => {
    const first = gather(spent[name], earlier)
    const second = gather(made[name], own)
    const all = new Float64Array(first.length + second.length)
    all.set(first)
    all.set(second, first.length)
    return all
  }
  const numbers = columnOf('number')
  const order = radixOrder(numbers)
  await writer.insert(spend, {
    utxo: gather(numbers, order),
    pos: gather(columnOf('spentPos'), order),
    spent_at: gather(columnOf('spentAt'), order),
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

/** Rows of those that are spent. */
function spentRows({ spentPos }: Held): Uint32Array {
  const rows = new Words(spentPos.length)
  for (let at = 0; at < spentPos.length; at++) if (f64At(spentPos, at) > 0) rows.push(at)
  return rows.taken()
}

async function numbersOf(reader: Reader, returns: readonly StakeReturnRow[]): Promise<number[]> {
  const unknown = returns.filter(({ number }) => number === undefined)
  // A transaction that stakes makes its outputs in order; genesis does not.
  const ordered = await orderedNumbersAt(reader, unknown)
  const others = await utxosAt(
    reader,
    unknown.filter((_, at) => ordered[at] === undefined),
  )
  const ids = others.values()
  const numbers = ordered.values()
  return returns.map(({ number }) => {
    const known = number ?? numbers.next().value ?? ids.next().value?.id
    assert(known !== undefined, 'what comes back is stored')
    return known
  })
}

/** Looks up all of `wanted`. */
export async function findRows(reader: Reader, wanted: Wanted): Promise<Found> {
  const rows = await utxosAt(reader, wanted.inputs)
  const utxos = rows.filter((row) => row !== undefined).map(knownUtxo)
  return { utxos, earlyImports: await findImports(reader, wanted.sharedKeys) }
}

function knownUtxo(row: StoredUtxo): KnownUtxo {
  const { id, txId, outputIndex, createdOn, consumableOn, createdAt } = row
  const { amount, threshold, addresses } = outputContent(row.output)
  const { staked, returned, spent } = outputFlags
  return {
    number: id,
    txId,
    outputIndex,
    amount,
    traits: packTraits({ asset: row.asset, kind: row.kind, needed: threshold }),
    addresses,
    createdOn,
    consumableOn,
    createdAt,
    flags:
      ((row.kind & utxoKinds.staked) === 0 ? 0 : staked) |
      (row.returnedAt === undefined ? 0 : returned) |
      (row.spentPos === undefined ? 0 : spent),
  }
}

async function findImports(reader: Reader, keys: readonly string[]): Promise<KnownImport[]> {
  const places = keys.map(placeOfKey)
  const rows = await reader.lookup(
    { table: earlyImport, key: ['tx_id', 'output_index'], select: ['body'] },
    [places.map(({ txId }) => txId), places.map(({ outputIndex }) => outputIndex)],
  )
  return rows.flatMap((row, at) => {
    const place = places[at]
    if (row === undefined || place === undefined) return []
    const body = earlyImportBody.fromBytes(row[0])
    const { consumedPos, consumedTime: time, consumedTxId: txId } = body
    return [
      {
        ...place,
        assetId: body.assetId,
        amount: body.amount,
        consumed: { ...placeOfPos(consumedPos), time, txId },
      },
    ]
  })
}
