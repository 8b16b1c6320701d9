/** UTXOs by the transactions they are named for. */

import { equalBytes } from '../../../core/bytes.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { txStart } from '../../schema/primary-bodies.ts'
import { prefixOf } from '../../schema/primary-position.ts'
import { bytesValue } from '../stored-row.ts'
import { type StoredUtxo, utxosByNumber } from './utxo-rows.ts'

/** An output of a transaction. */
type Place = { readonly txId: Uint8Array; readonly outputIndex: number }

const makers = statement(
  `select t.tx_id, t.body from json_each(?) j cross join tx_by_id i join tx t on t.pos = i.pos
   where i.prefix = j.value`,
  {
    over: 'tables',
    postgres: `select t.tx_id, t.body from json_array_elements_text(?::json) j
      join tx_by_id i on i.prefix = j.value::bigint join tx t on t.pos = i.pos`,
  },
)

const strays = statement(
  `select s.utxo from json_each(?) j cross join stray_utxo s where s.prefix = j.value`,
  {
    postgres: `select s.utxo from json_array_elements_text(?::json) j
      join stray_utxo s on s.prefix = j.value::bigint`,
  },
)

/**
 * UTXOs at `places`, in their order, `undefined` where there is none. Two seeks for each
 * transaction, one for each UTXO.
 */
export async function utxosAt(
  reader: Reader,
  places: readonly Place[],
): Promise<(StoredUtxo | undefined)[]> {
  if (places.length === 0) return []
  const byPrefix = new Map<number, Place[]>()
  for (const place of places) {
    const prefix = prefixOf(place.txId)
    const group = byPrefix.get(prefix)
    if (group === undefined) byPrefix.set(prefix, [place])
    else group.push(place)
  }
  const prefixes = JSON.stringify([...byPrefix.keys()])
  const numbers: number[] = []
  for (const [txId, body] of await reader.all(makers, [prefixes])) {
    const id = bytesValue(txId)
    const { firstUtxo, utxoCount } = txStart.fromStart(bytesValue(body))
    for (const place of byPrefix.get(prefixOf(id)) ?? []) {
      if (place.outputIndex < utxoCount && equalBytes(place.txId, id))
        numbers.push(firstUtxo + place.outputIndex)
    }
  }
  for (const [number] of await reader.all(strays, [prefixes])) numbers.push(Number(number))
  // An output may be where its name says and another's, so that each row is asked for its name.
  const found = await utxosByNumber(reader, numbers)
  const byName = new Map(found.map((row) => [nameOf(row), row]))
  return places.map((place) => byName.get(nameOf(place)))
}

function nameOf({ txId, outputIndex }: Place): string {
  return `${outputIndex} ${Buffer.from(txId).toString('latin1')}`
}
