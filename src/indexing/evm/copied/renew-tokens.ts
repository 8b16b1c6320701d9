/** Facts that contracts tell of themselves follow from no block: of a copied history they are asked again. */

import { statement, type Writer } from '../../../store/engine/database.ts'
import { token } from '../../../store/schema/evm.ts'

const nextTokens = statement('select id from token where id > ? order by id limit 4096')

/**
 * Has every token asked for its name, and its balances compared with its contract, by the stream of
 * tokens. The copied ones are shown until then.
 */
export async function renewTokens(writer: Writer): Promise<void> {
  for (let after = 0; ;) {
    const ids = (await writer.all(nextTokens, [after])).map(([id]) => Number(id))
    const last = ids.at(-1)
    if (last === undefined) return
    const zeros = ids.map(() => 0)
    const nothing = ids.map(() => null)
    await writer.update(token, {
      id: ids,
      metadata_height: zeros,
      compared_at: zeros,
      code: nothing,
      inexact_height: nothing,
      inexact_holder: nothing,
      inexact_reason: nothing,
      agreed: zeros,
    })
    after = last
  }
}
