/** Refuses a copied store that says something of blocks that it does not have. */

import { Fault } from '../../core/fault.ts'
import { type Reader, statement } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { placeColumn } from '../history/segment-file.ts'
import { nftAmount, nftRange, nftToken } from '../schema/nft.ts'
import { placesPerBlock } from '../schema/places.ts'
import { chainTables } from '../schema/stores.ts'

/** Tables of history, and their column that says the place or the height of a row. */
const placed: readonly (readonly [Table, string])[] = [
  ...chainTables
    .filter(({ freezes }) => freezes !== undefined)
    .map((table) => [table, placeColumn(table)] as const),
  [nftToken, 'at'],
  [nftRange, 'at'],
  [nftAmount, 'height'],
]

/**
 * Throws `store-failed` where tables have rows of heights from `until` on: nobody compares these with a
 * node, and they would be taken for those of the blocks to come. Segments say their heights themselves.
 *
 * Cost: tables whose order is another one are read whole.
 */
export async function checkEnds(reader: Reader, until: number): Promise<void> {
  for (const [table, column] of placed) {
    const isHeight = column === 'height' || column === 'since'
    const limit = isHeight ? until : until * placesPerBlock
    const question = statement(`select 1 from ${table.name} where ${column} >= ? limit 1`, {
      over: 'tables',
    })
    if ((await reader.get(question, [limit])) === undefined) continue
    throw new Fault(
      'store-failed',
      `store has rows of blocks that it does not have: table ${table.name}, after ${until - 1}`,
    )
  }
}
