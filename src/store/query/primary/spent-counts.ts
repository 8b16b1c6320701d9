/** How many UTXOs transactions spent. */

import { type Reader, statement } from '../../engine/database.ts'

const question = statement(
  `select u.spent_pos, count(*) from json_each(?) j
   cross join utxo u indexed by utxo_by_spender
   where u.spent_pos = j.value and u.spent_pos is not null group by u.spent_pos`,
  {
    postgres: `select u.spent_pos, count(*) from json_array_elements_text(?::json) j
      join utxo u on u.spent_pos = j.value::bigint group by u.spent_pos`,
  },
)

/** UTXOs spent by the transaction at each of `places`; those that spent none are left out. */
export async function spentCounts(
  reader: Reader,
  places: readonly number[],
): Promise<Map<number, number>> {
  const rows = await reader.all(question, [JSON.stringify(places)])
  return new Map(rows.map(([pos, count]) => [Number(pos), Number(count)]))
}
