/** Reads for replay what a batch needs of UTXOs stored before. */

import { decode } from '../../codec/cursor.ts'
import { placeOfKey } from '../../codec/primary/ids.ts'
import { pOutput } from '../../codec/primary/p-transaction.ts'
import { xOutput } from '../../codec/primary/x-transaction.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { StoredUtxo } from '../../store/query/primary/utxo-rows.ts'
import { utxosAt } from '../../store/query/primary/utxos-at.ts'
import { earlyImportBody } from '../../store/schema/primary-bodies.ts'
import { earlyImport } from '../../store/schema/primary-ledger.ts'
import { asset } from '../../store/schema/primary-names.ts'
import { placeOfPos, utxoKinds } from '../../store/schema/primary-position.ts'
import type { KnownUtxo, Owner } from './ledger-rows.ts'
import type { Found, KnownImport, Wanted } from './state.ts'
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

/** Looks up all of `wanted`. `assetIds` keeps ids of assets by number between calls. */
export async function findRows(
  reader: Reader,
  wanted: Wanted,
  assetIds: Map<number, Uint8Array>,
): Promise<Found> {
  const rows = await utxosAt(reader, wanted.inputKeys.map(placeOfKey))
  const found = rows.filter((row) => row !== undefined)
  await learnAssets(reader, found, assetIds)
  const utxos = found.map((row) => knownUtxo(row, assetIds.get(row.asset) ?? new Uint8Array(32)))
  return { utxos, earlyImports: await findImports(reader, wanted.sharedKeys) }
}

function knownUtxo(row: StoredUtxo, assetId: Uint8Array): KnownUtxo {
  const { id, txId, outputIndex, createdOn, consumableOn, createdAt, returnedAt } = row
  const { spentPos, spentAt = 0, spentBy = new Uint8Array() } = row
  return {
    ...outputContent(row.output),
    number: id,
    txId,
    outputIndex,
    assetId,
    createdOn,
    consumableOn,
    createdTime: createdAt,
    staked: (row.kind & utxoKinds.staked) !== 0,
    // Replay asks whether, and when; by which transaction is in that one's row.
    returned:
      returnedAt === undefined
        ? undefined
        : { height: 0, time: returnedAt, rewardTxId: new Uint8Array() },
    consumed:
      spentPos === undefined
        ? undefined
        : { ...placeOfPos(spentPos), time: spentAt, txId: spentBy },
  }
}

async function learnAssets(
  reader: Reader,
  rows: readonly StoredUtxo[],
  assetIds: Map<number, Uint8Array>,
): Promise<void> {
  const missing = new Set<number>()
  for (const row of rows) if (!assetIds.has(row.asset)) missing.add(row.asset)
  if (missing.size === 0) return
  const numbers = [...missing]
  const found = await reader.lookup({ table: asset, key: ['id'], select: ['asset_id'] }, [numbers])
  for (const [at, number] of numbers.entries()) assetIds.set(number, bytesOf(found[at]?.[0]))
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
    const body = earlyImportBody.fromBytes(bytesOf(row[0]))
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
