/** Writes UTXOs, and what becomes of them. */

import { equalBytes } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import type { Reader, Writer } from '../../store/engine/database.ts'
import { utxosAt } from '../../store/query/primary/utxos-at.ts'
import { utxoBody } from '../../store/schema/primary-bodies.ts'
import { kindOf } from '../../store/schema/primary-holding.ts'
import {
  lateSpend,
  spend,
  stakeReturn,
  strayUtxo,
  utxo,
} from '../../store/schema/primary-ledger.ts'
import { chainNumbers, posOf, prefixOf, rewardKinds } from '../../store/schema/primary-position.ts'
import type { Consumption, TransactionRow, UtxoRow } from './ledger-rows.ts'
import type { RowBatch } from './rows.ts'
import { inOrder, sortedOrder } from './sorted-order.ts'
import type { Numbers } from './store-numbers.ts'
import { encodeOutputOfRow } from './utxo-bytes.ts'

/** Place of a consumption. */
export function posOfConsumption(consumed: Consumption): number {
  return posOf(chainNumbers[consumed.chain], consumed.height, consumed.position)
}

/** Writes the UTXOs of a batch. */
export async function writeUtxos(writer: Writer, batch: RowBatch, assets: Numbers): Promise<void> {
  const { utxos } = batch
  await writer.insert(utxo, {
    id: utxos.map((row) => row.number),
    body: utxos.map((row) => bodyOf(row, assets)),
  })
  const strays = straysAmong(batch)
  const prefixes = strays.map((row) => prefixOf(row.txId))
  const order = sortedOrder(prefixes)
  await writer.insert(strayUtxo, {
    prefix: inOrder(prefixes, order),
    utxo: Array.from(order, (at) => strays[at]?.number ?? 0),
  })
}

function bodyOf(row: UtxoRow, assets: Numbers): Uint8Array {
  return utxoBody.toBytes({
    txId: row.txId,
    outputIndex: row.outputIndex,
    createdOn: chainNumbers[row.createdOn],
    consumableOn: chainNumbers[row.consumableOn],
    asset: assets.of(row.assetId),
    kind: kindOf(row),
    output: encodeOutputOfRow(row),
    createdPos: posOf(chainNumbers[row.createdOn], row.createdHeight, row.createdPosition),
    createdAt: row.createdTime,
    stakeStart: row.stakeStart,
    stakeEnd: row.stakeEnd,
    reward: row.rewardKind === undefined ? undefined : rewardKinds.indexOf(row.rewardKind),
  })
}

/** UTXOs that are not the n-th of the transaction they are named for, n being their index. */
function straysAmong({ utxos, transactions }: RowBatch): readonly UtxoRow[] {
  const first = utxos[0]?.number ?? 0
  const strays: UtxoRow[] = []
  let at = 0
  for (const made of transactions) {
    const start = made.utxoCount === 0 ? at : made.firstUtxo - first
    for (; at < start; at++) strays.push(rowAt(utxos, at))
    for (const end = start + made.utxoCount; at < end; at++) {
      const row = rowAt(utxos, at)
      if (!isNamedFor(row, made)) strays.push(row)
    }
  }
  for (; at < utxos.length; at++) strays.push(rowAt(utxos, at))
  return strays
}

function isNamedFor(row: UtxoRow, made: TransactionRow): boolean {
  return row.number - made.firstUtxo === row.outputIndex && equalBytes(row.txId, made.txId)
}

function rowAt(rows: readonly UtxoRow[], at: number): UtxoRow {
  const row = rows[at]
  assert(row !== undefined, 'UTXOs of a batch are numbered one after the other')
  return row
}

/** Writes which UTXOs were spent, of this batch and of earlier ones. */
export async function writeSpends(writer: Writer, batch: RowBatch): Promise<void> {
  const numbers: number[] = []
  const consumptions: Consumption[] = []
  for (const { number, consumed } of batch.utxos) {
    if (consumed === undefined) continue
    numbers.push(number)
    consumptions.push(consumed)
  }
  for (const row of batch.consumptions) {
    numbers.push(row.utxo.number)
    consumptions.push(row.consumed)
  }
  const order = sortedOrder(numbers)
  const places = consumptions.map(posOfConsumption)
  const times = consumptions.map(({ time }) => time)
  await writer.insert(spend, {
    utxo: inOrder(numbers, order),
    pos: inOrder(places, order),
    spent_at: inOrder(times, order),
  })
  const late = batch.importCompletions
  await writer.insert(lateSpend, {
    pos: late.map(({ consumed }) => posOfConsumption(consumed)),
    utxo: late.map((row) => row.utxo.number),
  })
}

/** Writes which stakes came back, of this batch and of earlier ones. */
export async function writeStakeReturns(writer: Writer, batch: RowBatch): Promise<void> {
  const numbers: number[] = await numbersOfReturned(writer, batch.stakeReturns)
  const times = batch.stakeReturns.map(({ returned }) => returned.time)
  for (const { number, returned } of batch.utxos) {
    if (returned === undefined) continue
    numbers.push(number)
    times.push(returned.time)
  }
  const order = sortedOrder(numbers)
  await writer.insert(stakeReturn, {
    utxo: inOrder(numbers, order),
    returned_at: inOrder(times, order),
  })
}

async function numbersOfReturned(
  reader: Reader,
  returns: RowBatch['stakeReturns'],
): Promise<number[]> {
  const found = await utxosAt(reader, returns)
  return found.map((row) => {
    assert(row !== undefined, 'what comes back is stored')
    return row.id
  })
}
