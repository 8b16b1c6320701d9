/** Reads for replay what a batch needs of UTXOs stored before. */

import { decode } from '../../codec/kit.ts'
import { pOutput } from '../../codec/primary/p-transaction.ts'
import { xOutput } from '../../codec/primary/x-transaction.ts'
import { assert } from '../../core/fault.ts'
import type { Reader, Row } from '../../store/engine/database.ts'
import { earlyImportBody } from '../../store/schema/primary-bodies.ts'
import { chainOfNumber, placeOfPos, utxoKinds } from '../../store/schema/primary-position.ts'
import { asset, earlyImport, tx, utxo } from '../../store/schema/primary.ts'
import type { Consumption, Owner } from './rows.ts'
import type { Found, KnownImport, KnownUtxo, Wanted } from './state.ts'
import { bytesOf } from './store-stakers.ts'

/** An output's content, whatever its type. */
export type OutputContent = {
  readonly outputType: number
  readonly amount: bigint
  readonly owner: Owner
  readonly stakeableLocktime: bigint
  readonly groupId: number | undefined
}

/** Content of an output in wire form. Throws `bad-bytes`. */
export function outputContent(bytes: Uint8Array): OutputContent {
  const typeId = bytes[3]
  if (typeId === 7 || typeId === 22) {
    const output = decode(pOutput, bytes)
    const inner = output.typeId === 22 ? output.output : output
    return {
      outputType: 7,
      amount: inner.amount,
      owner: inner,
      stakeableLocktime: output.typeId === 22 ? output.locktime : 0n,
      groupId: undefined,
    }
  }
  const output = decode(xOutput, bytes)
  return {
    outputType: output.typeId,
    amount: 'amount' in output ? output.amount : 0n,
    owner: output,
    stakeableLocktime: 0n,
    groupId: 'groupId' in output ? output.groupId : undefined,
  }
}

const utxoColumns = [
  'id',
  'chain',
  'target',
  'asset',
  'kind',
  'output',
  'created_at',
  'spent_pos',
  'spent_at',
  'returned_at',
] as const

/** Looks up all of `wanted`. `assetIds` keeps ids of assets by number between calls. */
export async function findRows(
  reader: Reader,
  wanted: Wanted,
  assetIds: Map<number, Uint8Array>,
): Promise<Found> {
  const ids = wanted.utxoIds
  const rows = await reader.lookup({ table: utxo, key: ['utxo_id'], select: utxoColumns }, [ids])
  await learnAssets(reader, rows, assetIds)
  const spenders = await spendersOf(reader, rows)
  const utxos: KnownUtxo[] = []
  for (const [at, row] of rows.entries()) {
    const utxoId = ids[at]
    if (row === undefined || utxoId === undefined) continue
    const content = outputContent(bytesOf(row[5]))
    utxos.push({
      ...content,
      utxoId,
      assetId: assetIds.get(Number(row[3])) ?? new Uint8Array(32),
      createdOn: chainOfNumber(Number(row[1])),
      consumableOn: chainOfNumber(Number(row[2])),
      createdTime: Number(row[6]),
      staked: (Number(row[4]) & utxoKinds.staked) !== 0,
      // Replay asks whether, and when; by which transaction is in that one's row.
      returned:
        row[9] === null
          ? undefined
          : { height: 0, time: Number(row[9]), rewardTxId: new Uint8Array() },
      consumed: row[7] === null ? undefined : spenders.get(Number(row[7])),
    })
  }
  return { utxos, earlyImports: await findImports(reader, wanted.exportIds) }
}

async function learnAssets(
  reader: Reader,
  rows: readonly (Row | undefined)[],
  assetIds: Map<number, Uint8Array>,
): Promise<void> {
  const missing = new Set<number>()
  for (const row of rows) {
    if (row !== undefined && !assetIds.has(Number(row[3]))) missing.add(Number(row[3]))
  }
  if (missing.size === 0) return
  const numbers = [...missing]
  const found = await reader.lookup({ table: asset, key: ['id'], select: ['asset_id'] }, [numbers])
  for (const [at, number] of numbers.entries()) assetIds.set(number, bytesOf(found[at]?.[0]))
}

/** Consumptions by place, of those rows that are spent already: hardly ever any. */
async function spendersOf(
  reader: Reader,
  rows: readonly (Row | undefined)[],
): Promise<Map<number, Consumption>> {
  const places = rows.flatMap((row) => (row === undefined || row[7] === null ? [] : [row]))
  const found = await reader.lookup({ table: tx, key: ['pos'], select: ['tx_id'] }, [
    places.map((row) => Number(row[7])),
  ])
  return new Map(
    places.map((row, at) => [
      Number(row[7]),
      consumptionAt(Number(row[7]), Number(row[8]), bytesOf(found[at]?.[0])),
    ]),
  )
}

function consumptionAt(pos: number, time: number, txId: Uint8Array): Consumption {
  return { ...placeOfPos(pos), time, txId }
}

async function findImports(
  reader: Reader,
  exportIds: readonly Uint8Array[],
): Promise<KnownImport[]> {
  const rows = await reader.lookup({ table: earlyImport, key: ['utxo_id'], select: ['body'] }, [
    exportIds,
  ])
  return rows.flatMap((row, at) => {
    const utxoId = exportIds[at]
    if (row === undefined || utxoId === undefined) return []
    const body = earlyImportBody.fromBytes(bytesOf(row[0]))
    return [
      {
        utxoId,
        assetId: body.assetId,
        amount: body.amount,
        consumed: consumptionAt(body.consumedPos, body.consumedTime, body.consumedTxId),
      },
    ]
  })
}

/**
 * Numbers of stored UTXOs, in the order of their ids. The index of ids alone answers. Throws when
 * one is not stored.
 */
export async function numbersOfUtxos(
  reader: Reader,
  utxoIds: readonly Uint8Array[],
): Promise<readonly number[]> {
  const rows = await reader.lookup({ table: utxo, key: ['utxo_id'], select: ['id'] }, [utxoIds])
  return rows.map((row) => {
    assert(row !== undefined, 'replay changes only what it was told is stored')
    return Number(row[0])
  })
}
