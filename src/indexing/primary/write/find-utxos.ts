/** Reads for replay what a batch needs of UTXOs stored before. */

import { placeOfKey } from '../../../codec/primary/ids.ts'
import { outputContent } from '../../../codec/primary/output-content.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { type StoredUtxo, utxosAt } from '../../../store/query/primary/utxos.ts'
import { bytesAt } from '../../../store/query/row-values.ts'
import { earlyImportBody } from '../../../store/schema/primary/bodies.ts'
import { packTraits } from '../../../store/schema/primary/holding.ts'
import { earlyImport } from '../../../store/schema/primary/ledger.ts'
import { placeOfPos, utxoKinds } from '../../../store/schema/primary/position.ts'
import { outputFlags, type KnownUtxo } from '../batch/ledger-rows.ts'
import type { Found, KnownImport, Wanted } from '../batch/stored-state.ts'

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
    const body = earlyImportBody.fromBytes(bytesAt(row, 0))
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
