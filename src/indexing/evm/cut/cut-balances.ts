/** Removes the balance rows of removed blocks. */

import { eventKinds } from '../../../codec/evm/columns/columns.ts'
import { toHex } from '../../../core/bytes.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import {
  type Row,
  type Statement,
  statement,
  type Value,
  type Writer,
} from '../../../store/engine/database.ts'
import { balance, holding } from '../../../store/schema/evm.ts'
import { nftAmount } from '../../../store/schema/nft.ts'
import { byteAt } from '../write/batch-columns.ts'
import { keysOfRows } from '../write/fan-out.ts'
import { isFungible, isMultiToken } from '../write/kinds.ts'
import { fullItem } from '../write/nft-rows.ts'
import type { StoredBatch } from '../write/stored-batch.ts'

const heightsOfPair = statement(
  'select address_id, token_id, height from balance where address_id = ? and token_id = ? and height >= ?',
  // The cut part is in tables, and all of it is removed.
  { over: 'tables' },
)
const heightsOfAmount = statement(
  `select owner_id, contract_id, item, height from nft_amount
   where owner_id = ? and contract_id = ? and item = ? and height >= ?`,
)

const holdingOfPair = statement(
  'select token_id, address_id from holding where token_id = ? and address_id = ? and since >= ?',
  { over: 'tables' },
)
const holdingsOfToken = statement(
  'select token_id, address_id from holding where token_id = ? and since >= ?',
  { over: 'tables' },
)

/**
 * Rows of `balance`, `nft_amount` and `holding` from the first height of `stored` on, of all it
 * touches.
 */
export async function cutBalances(writer: Writer, { batch, ids }: StoredBatch): Promise<void> {
  const { transfers, events, arena } = batch
  const held = new Map<string, readonly Value[]>()
  const pairs = new Map<string, readonly Value[]>()
  const amounts = new Map<string, readonly Value[]>()
  for (let row = 0; row < transfers.count; row++) {
    const kind = u8At(transfers.kind, row)
    const token = f64At(ids, u32At(transfers.token, row))
    for (const place of [u32At(transfers.from, row), u32At(transfers.to, row)]) {
      const owner = f64At(ids, place)
      held.set(`${token} ${owner}`, [token, owner])
      if (isFungible(kind)) pairs.set(`${owner} ${token}`, [owner, token])
      if (!isMultiToken(kind)) continue
      const item = fullItem(byteAt(arena, transfers.tokenId, row))
      amounts.set(`${owner} ${token} ${toHex(item)}`, [owner, token, item])
    }
  }
  const balances = await rowsSince(writer, heightsOfPair, { keys: pairs, from: batch.from })
  await writer.remove(balance, keysOfRows(balance, balances))
  const gone = await rowsSince(writer, heightsOfAmount, { keys: amounts, from: batch.from })
  await writer.remove(nftAmount, keysOfRows(nftAmount, gone))
  const ranged = new Map<string, readonly Value[]>()
  for (let row = 0; row < events.count; row++)
    if (events.kind[row] === eventKinds.consecutiveTransfer) {
      const contract = f64At(ids, u32At(events.address, row))
      ranged.set(String(contract), [contract])
    }
  for (const [question, keys] of [
    [holdingsOfToken, ranged],
    [holdingOfPair, held],
  ] as const) {
    const rows = await rowsSince(writer, question, { keys, from: batch.from })
    await writer.remove(holding, keysOfRows(holding, rows))
  }
}

async function rowsSince(
  writer: Writer,
  question: Statement,
  of: { readonly keys: ReadonlyMap<string, readonly Value[]>; readonly from: number },
): Promise<Row[]> {
  const rows: Row[] = []
  for (const key of of.keys.values()) rows.push(...(await writer.all(question, [...key, of.from])))
  return rows
}
