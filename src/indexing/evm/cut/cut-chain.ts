/**
 * Takes the end of a stored chain away, so that it is read again.
 *
 * For rows that a later proof showed to be wrong: whatever is from some height on goes, with every
 * list, balance, owner and count that it left, and the stages go on from there. What then comes is
 * written by the ordinary way, so the store ends as one that was never wrong. Only the numbers of
 * addresses stay: they are seen nowhere, and an address met again keeps its own. What messenger
 * logs of the end left in the store of messages is taken back by its stream.
 *
 * Cost: what lies in tables is read once, and amounts of NFTs; the past of NFT contracts that the end
 * touches is read until the last owner of each touched token is found; metrics are counted again
 * from all that stays.
 */

import { eventKinds, standardOf } from '../../../codec/evm/columns/columns.ts'
import { concatBytes, fromHex, toHex } from '../../../core/bytes.ts'
import { f64At, u32At, u8At } from '../../../core/item-at.ts'
import { recountRollup } from '../../../rollup/rebuild.ts'
import { getCheckpoint, moveCheckpoint, blockStage, traceStage } from '../../../store/checkpoint.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { removeRows } from '../../../store/history/freeze.ts'
import { placeColumn } from '../../../store/history/segment-file.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { cutMessages, token } from '../../../store/schema/evm.ts'
import { nftAmount } from '../../../store/schema/nft.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import { placesPerBlock } from '../../../store/schema/sums.ts'
import { eachColumns } from '../../../store/sums/pages.ts'
import { storedBatch, type StoredBatch } from '../write/stored-batch.ts'
import { cutNfts } from './cut-nfts.ts'

/** Blocks removed at once: some 5,000 transactions on a busy chain. */
const blocksAtOnce = 200

const firstBlock = statement('select height from evm_block order by height limit 1', {
  over: 'oldest',
})
const forget = statement('delete from checkpoint where stage = ?')

/**
 * Removes what is stored from height `from` on, in the transaction of `writer`. Returns whether
 * there was anything. Counters held in memory must be loaded anew. Throws `lease-lost` when the
 * checkpoints move meanwhile.
 */
export async function cutChain(writer: Writer, from: number, epoch: number): Promise<boolean> {
  const blocks = await getCheckpoint(writer, blockStage)
  if (blocks === undefined || blocks.height < from) return false
  const first = (await writer.get(firstBlock))?.[0] ?? 0
  const cut = Math.max(from, first)
  const messages = new Set<string>()
  for (let until = blocks.height + 1; until > cut; until -= blocksAtOnce) {
    const stored = await storedBatch(writer, { from: Math.max(cut, until - blocksAtOnce), until })
    // The messages that its logs are about.
    const { events, arena } = stored.batch
    for (let row = 0; row < events.count; row++) {
      const kind = u8At(events.kind, row)
      const at = u32At(events.topics.offset, row)
      const isMessage = kind >= eventKinds.icmSend && kind <= eventKinds.icmReceipt
      if (isMessage && u32At(events.topics.length, row) >= idBytes)
        messages.add(toHex(arena.subarray(at, at + idBytes)))
    }
    await cutNfts(writer, stored)
    await cutTokens(writer, stored)
  }
  // Rows of history from `cut` on, and amounts of NFTs, of which each height has its own.
  for (const table of [...chainTables.filter(({ freezes }) => freezes !== undefined), nftAmount]) {
    const column = table === nftAmount ? 'height' : placeColumn(table)
    const limits = [column === 'pos' ? cut * placesPerBlock : cut]
    await eachColumns(writer, table, { where: `${column} >= ?`, limits }, (columns) =>
      removeRows(writer, table, columns),
    )
  }
  await noteCut(writer, cut, messages)
  await moveStagesBack(writer, cut, epoch)
  await recountRollup(writer, {
    first,
    blocks: cut - 1,
    traces: (await getCheckpoint(writer, traceStage))?.height ?? -1,
  })
  return true
}

/**
 * Moves the checkpoints of stages back to height `from`, where they are beyond it; from the first
 * block on the store is as new.
 */
export async function moveStagesBack(writer: Writer, from: number, epoch: number): Promise<void> {
  const end = await blockHashAt(writer, from - 1)
  for (const stage of [traceStage, blockStage]) {
    const before = (await getCheckpoint(writer, stage))?.height ?? -1
    if (before < from) continue
    const after = { height: from - 1, hash: stage === blockStage ? end : undefined }
    await moveCheckpoint(writer, stage, { before, after, epoch })
    if (end === undefined && stage === blockStage) await writer.run(forget, [stage])
  }
}

/**
 * Number of cuts that are kept apart. The stream follows within seconds; older cuts are joined,
 * none is forgotten.
 */
const maxCuts = 16

const idBytes = 32

const stored = statement('select number, height, message_ids from cut_messages order by number')

/** Records that the messages `ids` were about rows from height `height` on, which are removed. */
async function noteCut(writer: Writer, height: number, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return
  const rows = await writer.all(stored)
  const number = 1 + (rows.at(-1)?.[0] ?? 0)
  await writer.insert(cutMessages, {
    number: [number],
    height: [height],
    message_ids: [concatBytes(...[...ids].map((id) => fromHex(id)))],
  })
  const [oldest, next] = rows
  if (rows.length < maxCuts || oldest === undefined || next === undefined) return
  await writer.upsert(cutMessages, {
    number: [next[0]],
    height: [Math.min(oldest[1], next[1])],
    message_ids: [concatBytes(oldest[2], next[2])],
  })
  await writer.remove(cutMessages, { number: [oldest[0]] })
}

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
 * Removes tokens first seen in `stored`, and resets a standard that only its logs showed; such a
 * contract is called again.
 */
async function cutTokens(writer: Writer, { batch, ids }: StoredBatch): Promise<void> {
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
    if (row[1] >= batch.from) gone.push(id)
    else if (standard > 20 && row[0] === standard)
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
  const standards = kinds.map(([kind]) => standardOf(kind))
  const highest = Math.max(range === undefined ? 20 : 721, ...standards)
  if (highest >= of.standard) return
  await writer.update(token, { id: [of.id], standard: [highest], metadata_height: [0] })
}
