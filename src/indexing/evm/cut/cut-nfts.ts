/**
 * Gives the NFTs that the end of a chain moved back to whom they had before.
 *
 * Only the newest owner is stored, so the one before is looked for in the list of the contract,
 * newest first, until each touched token was met.
 */

import { eventKinds, standardChangedBy } from '../../../codec/evm/columns/columns.ts'
import { toHex, isZero } from '../../../core/bytes.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { type AnswerRow, statement, type Writer } from '../../../store/engine/database.ts'
import { addressId } from '../../../store/query/evm/addresses.ts'
import { nftMetadata, nftRange, nftToken } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { byteAt } from '../write/batch-columns.ts'
import { keysOfRows } from '../write/fan-out.ts'
import { rangeOfLog, writeRange, fullItem, placeOfLog } from '../write/nft-rows.ts'
import type { StoredBatch } from '../write/stored-batch.ts'

const rowsAtOnce = 2_000

const listBefore = statement(
  `select f.item, f.kind, f.to_id, f.pos, f.log_index
   from transfer_by_token k join transfer f on f.pos = k.pos
   where k.token_id = ? and k.pos < ? order by k.pos desc limit ?`,
  { over: 'newest' },
)
const rangesOf = statement('select contract_id, first_item from nft_range where contract_id = ?')
const rangeLogs = statement(
  `select e.topics, e.data, e.pos, e.log_index from event_by_kind k join event e on e.pos = k.pos
   where k.kind = ${eventKinds.consecutiveTransfer} and k.pos < ? and e.address_id = ? order by k.pos`,
  { over: 'oldest' },
)

/** A token that the end touched. */
type Touched = {
  readonly contractId: number
  readonly standard: 721 | 1155
  readonly item: Uint8Array
}

/** Takes back what the logs of `stored` did to `nft_token` and `nft_range`. */
export async function cutNfts(writer: Writer, { batch, ids }: StoredBatch): Promise<void> {
  const { transfers, events, arena } = batch
  const before = batch.from * placesPerBlock
  const touched = new Map<number, Map<string, Touched>>()
  for (let row = 0; row < transfers.count; row++) {
    const standard = standardChangedBy(u8At(transfers.kind, row))
    if (standard !== 721 && standard !== 1155) continue
    const contractId = f64At(ids, u32At(transfers.token, row))
    const item = fullItem(byteAt(arena, transfers.tokenId, row))
    const of = touched.get(contractId) ?? new Map<string, Touched>()
    of.set(`${standard} ${toHex(item)}`, { contractId, standard, item })
    touched.set(contractId, of)
  }
  for (const [contractId, items] of touched) await giveBack(writer, { contractId, items, before })
  const contracts = new Set<number>()
  for (let row = 0; row < events.count; row++)
    if (events.kind[row] === eventKinds.consecutiveTransfer)
      contracts.add(f64At(ids, u32At(events.address, row)))
  for (const contract of contracts) {
    // Its ranges as earlier logs left them. Their URIs are read anew.
    const stored = await writer.all(rangesOf, [contract])
    await writer.remove(nftRange, keysOfRows(nftRange, stored))
    for (const [topics, data, pos, logIndex] of await writer.all(rangeLogs, [before, contract])) {
      const log = rangeOfLog(topics, data)
      if (log === undefined) continue
      const owner = await addressId(writer, log.owner)
      // The zero address owns nothing.
      const isBurn = isZero(log.owner)
      await writeRange(writer, {
        contractId: contract,
        first: log.first,
        last: log.last,
        ownerId: isBurn ? null : Number(owner),
        at:
          Math.floor(pos / placesPerBlock) * placesPerBlock +
          Math.min(logIndex, placesPerBlock - 1),
        urisRead: 0,
      })
    }
  }
}

/** Gives tokens of a contract to those who had them before; removes those that no earlier transfer names. */
async function giveBack(
  writer: Writer,
  of: {
    readonly contractId: number
    readonly items: Map<string, Touched>
    readonly before: number
  },
): Promise<void> {
  const zero = (await addressId(writer, new Uint8Array(20))) ?? -1
  const missing = new Map(of.items)
  let before = of.before
  for (;;) {
    const rows = await writer.all(listBefore, [of.contractId, before, rowsAtOnce])
    for (const row of rows) await meet(writer, { row, missing, zero })
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce || missing.size === 0) break
    before = last[3]
  }
  const never = [...missing.values()].map((each) => [each.contractId, each.standard, each.item])
  await writer.remove(nftToken, keysOfRows(nftToken, never))
  await writer.remove(nftMetadata, keysOfRows(nftMetadata, never))
}

/** An earlier transfer of a token names its previous owner. */
async function meet(
  writer: Writer,
  at: {
    readonly row: AnswerRow<typeof listBefore>
    readonly missing: Map<string, Touched>
    readonly zero: number
  },
): Promise<void> {
  const [item, kind, to, pos, logIndex] = at.row
  const standard = standardChangedBy(kind)
  const full = fullItem(item ?? new Uint8Array())
  const name = `${standard} ${toHex(full)}`
  const found = at.missing.get(name)
  if (found === undefined) return
  at.missing.delete(name)
  // Of an ERC-1155 token only its existence is stored.
  if (standard === 1155) return
  await writer.update(nftToken, {
    contract_id: [found.contractId],
    standard: [standard],
    item: [found.item],
    owner_id: [to === at.zero ? null : to],
    at: [placeOfLog(Math.floor(pos / placesPerBlock), logIndex)],
  })
}
