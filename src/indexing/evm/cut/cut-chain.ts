/**
 * Takes the end of a stored chain away, so that it is read again.
 *
 * For rows that a later proof showed to be wrong: whatever is from some height on goes, with every
 * list, balance, owner and count that it left, and the stages go on from there. What then comes is
 * written by the ordinary way, so the store ends as one that was never wrong. Only the numbers of
 * addresses stay: they are seen nowhere, and an address met again keeps its own. What messenger
 * logs of the end left in the store of messages is taken back by its stream.
 *
 * Cost: rows of the end are read once and removed by key; the past of NFT contracts that the end
 * touches is read until the last owner of each touched token is found; metrics are counted again
 * from all that stays.
 */

import { recountRollup } from '../../../rollup/rebuild.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import { getCheckpoint, moveCheckpoint } from '../../../store/checkpoint.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import { internal, internalByAddress } from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { blockStage, writeFacts } from '../write/apply-blocks.ts'
import { traceStage } from '../write/apply-traces.ts'
import { keysOfRows } from '../write/row-keys.ts'
import { storedBatch } from '../write/stored-batch.ts'
import { undoing } from '../write/undoing-writer.ts'
import { cutBalances } from './cut-balances.ts'
import { collectMessages, noteCut } from './cut-messages.ts'
import { cutNfts } from './cut-nfts.ts'
import { cutTokens } from './cut-tokens.ts'

/** Blocks taken away at once: some 5,000 transactions on a busy chain. */
const blocksAtOnce = 200

const hashOfBlock = statement('select hash from block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})
const firstBlock = statement('select height from block order by height limit 1', {
  over: 'oldest',
})
const internalRows = statement(
  'select pos, from_id, to_id from internal where pos >= ? and pos < ? order by pos',
  { over: 'oldest', within: { pos: [0, 1] }, stage: 'traces' },
)
const forget = statement('delete from checkpoint where stage = ?')

/**
 * Takes away what is stored from height `from` on, in the transaction of `writer`. Returns whether
 * there was anything. Counters held in memory must be loaded anew.
 *
 * Throws `lease-lost` when the checkpoints move meanwhile.
 */
export async function cutChain(writer: Writer, from: number, epoch: number): Promise<boolean> {
  const blocks = await getCheckpoint(writer, blockStage)
  if (blocks === undefined || blocks.height < from) return false
  const first = Number((await writer.get(firstBlock))?.[0] ?? 0)
  const cut = Math.max(from, first)
  const messages = new Set<string>()
  for (let until = blocks.height + 1; until > cut; until -= blocksAtOnce) {
    const range = { from: Math.max(cut, until - blocksAtOnce), until }
    const stored = await storedBatch(writer, range)
    collectMessages(stored, messages)
    // Derived rows are removed first, since they are found through the facts.
    await cutInternals(writer, range)
    await cutBalances(writer, stored)
    await writeFacts(undoing(writer), stored, 0)
    await cutNfts(writer, stored)
    await cutTokens(writer, stored)
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

/** Has the stages go on from height `from`, where they are beyond it; from the first block a store is as new. */
export async function moveStagesBack(writer: Writer, from: number, epoch: number): Promise<void> {
  const hash = (await writer.get(hashOfBlock, [from - 1]))?.[0]
  const end = hash instanceof Uint8Array ? hash : undefined
  for (const stage of [traceStage, blockStage]) {
    const before = (await getCheckpoint(writer, stage))?.height ?? -1
    if (before < from) continue
    const after = { height: from - 1, hash: stage === blockStage ? end : undefined }
    await moveCheckpoint(writer, stage, { before, after, epoch })
    if (end === undefined && stage === blockStage) await writer.run(forget, [stage])
  }
}

async function cutInternals(writer: Writer, range: HeightRange): Promise<void> {
  const places = [range.from * placesPerBlock, range.until * placesPerBlock]
  const rows = await writer.all(internalRows, places)
  const entries = new Map<string, readonly [number, number]>()
  for (const [pos, from, to] of rows)
    for (const id of [from, to])
      if (typeof id === 'number') entries.set(`${id} ${Number(pos)}`, [id, Number(pos)])
  await writer.remove(internalByAddress, keysOfRows(internalByAddress, [...entries.values()]))
  await writer.remove(internal, { pos: rows.map(([pos]) => Number(pos)) })
}
