/** Takes back what the end of a chain said of token contracts. */

import { eventKinds, standardOf } from '../../../codec/evm/columns.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { token } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import type { StoredBatch } from '../write/stored-batch.ts'

const tokenRow = statement('select standard, first_height from token where id = ?')
const kindsBefore = statement(
  `select distinct f.kind from transfer_by_token k join transfer f on f.pos = k.pos
   where k.token_id = ? and k.pos < ? order by 1`,
  { over: 'merge' },
)
const rangeBefore = statement(
  `select k.pos from event_by_kind k join event e on e.pos = k.pos
   where k.kind = ${eventKinds.consecutiveTransfer} and k.pos < ? and e.address_id = ? limit 1`,
  { over: 'newest' },
)

/**
 * Removes tokens first seen in `stored`, and takes a standard back that only its logs showed; such
 * a contract is asked again what it is.
 */
export async function cutTokens(writer: Writer, { batch, ids }: StoredBatch): Promise<void> {
  const { transfers, events } = batch
  const shown = new Map<number, number>()
  const show = (id: number, standard: number): void => {
    if (standard > 0) shown.set(id, Math.max(standard, shown.get(id) ?? 0))
  }
  for (let row = 0; row < transfers.count; row++)
    show(f64At(ids, u32At(transfers.token, row)), standardOf(u8At(transfers.kind, row)))
  for (let row = 0; row < events.count; row++)
    if (events.kind[row] === eventKinds.consecutiveTransfer)
      show(f64At(ids, u32At(events.address, row)), 721)
  const before = batch.from * placesPerBlock
  const gone: number[] = []
  for (const [id, standard] of shown) {
    const row = await writer.get(tokenRow, [id])
    if (row === undefined) continue
    if (Number(row[1]) >= batch.from) gone.push(id)
    else if (standard > 20 && Number(row[0]) === standard)
      await lowerStandard(writer, { id, standard, before })
  }
  await writer.remove(token, { id: gone })
}

async function lowerStandard(
  writer: Writer,
  of: { readonly id: number; readonly standard: number; readonly before: number },
): Promise<void> {
  const kinds = await writer.all(kindsBefore, [of.id, of.before])
  const range = await writer.get(rangeBefore, [of.before, of.id])
  const standards = kinds.map(([kind]) => standardOf(Number(kind)))
  const highest = Math.max(range === undefined ? 20 : 721, ...standards)
  if (highest >= of.standard) return
  await writer.update(token, { id: [of.id], standard: [highest], metadata_height: [0] })
}
