/** Numbers of addresses, which two tables have, and tokens. */

import { eventKinds, standardOf } from '../../../codec/evm/columns.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { casesOf } from '../../../store/query/evm/case-of-address.ts'
import { bytesAt } from '../../../store/query/row-values.ts'
import { address, addressByBytes, token } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { boundsOf } from '../../../store/sums/check-store.ts'
import { newTokens } from '../write/token-rows.ts'

const bytesInRange = statement('select id, bytes from address where id >= ? and id < ? order by id')
const numbersInRange = statement(
  'select id, bytes from address_by_bytes where id >= ? and id < ? order by id',
)
const tokensInRange = statement(
  `select k.token_id, f.kind, min(k.pos) from transfer_by_token k join transfer f on f.pos = k.pos
   where k.token_id >= ? and k.token_id < ? group by k.token_id, f.kind`,
  { over: 'oldest' },
)
const rangedTokens = statement(
  `select e.address_id, min(e.pos) from event_by_kind k join event e on e.pos = k.pos
   where k.kind = ${eventKinds.consecutiveTransfer} and e.address_id >= ? and e.address_id < ?
   group by e.address_id`,
  { over: 'oldest' },
)

/** Writes addresses of a range by their numbers again from the table by their bytes. */
export async function mendAddresses(writer: Writer, part: number): Promise<void> {
  const { id, bytes } = await addressesOf(writer, numbersInRange, part)
  await writer.insertNew(address, { id, bytes, cased: casesOf(bytes) })
}

/** The other way round. */
export async function mendNumbers(writer: Writer, part: number): Promise<void> {
  await writer.insertNew(addressByBytes, await addressesOf(writer, bytesInRange, part))
}

async function addressesOf(
  writer: Writer,
  question: typeof bytesInRange,
  part: number,
): Promise<{ id: number[]; bytes: Uint8Array[] }> {
  const { from = 0, until = 0 } = boundsOf(address, part) ?? {}
  const rows = await writer.all(question, [from, until])
  return {
    id: rows.map(([id]) => Number(id)),
    bytes: rows.map((row) => bytesAt(row, 1)),
  }
}

/**
 * Writes tokens of a range again as their logs show them; their contracts are asked again later.
 */
export async function mendTokens(writer: Writer, part: number): Promise<void> {
  const { from = 0, until = 0 } = boundsOf(token, part) ?? {}
  const tokens = new Map<number, { standard: number; pos: number }>()
  const show = (id: number, standard: number, pos: number): void => {
    const known = tokens.get(id) ?? { standard, pos }
    tokens.set(id, {
      standard: Math.max(known.standard, standard),
      pos: Math.min(known.pos, pos),
    })
  }
  for (const [id, kind, pos] of await writer.all(tokensInRange, [from, until]))
    show(Number(id), standardOf(Number(kind)), Number(pos))
  for (const [id, pos] of await writer.all(rangedTokens, [from, until]))
    show(Number(id), 721, Number(pos))
  const rows = [...tokens].toSorted(([a], [b]) => a - b)
  await writer.insert(
    token,
    newTokens(
      rows.map(([id, { standard, pos }]) => ({
        id,
        standard,
        height: Math.floor(pos / placesPerBlock),
      })),
    ),
  )
}
