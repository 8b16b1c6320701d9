/** Removes from the store of messages those of blocks that a chain removed from its end. */

import { keyOf } from '../../core/bytes.ts'
import type { Clock } from '../../core/world.ts'
import { getCheckpoint, moveCheckpoint } from '../../store/checkpoint.ts'
import { type Database, type Reader, statement, type Writer } from '../../store/engine/database.ts'
import { type Lease, underLease } from '../../store/lease.ts'
import { metaText, putMeta } from '../../store/meta.ts'
import { type MessengerLog, messengerLogs } from '../../store/query/icm/messenger-logs.ts'
import { placesPerBlock } from '../../store/schema/sums.ts'
import { applyMessages, type MessageChain } from './apply-messages.ts'
import { messageIds, takeBack } from './take-back.ts'

/** Logs read at once while those of some messages are looked for. */
const logsAtOnce = 1_000

const cutsAfter = statement(
  'select number, height, message_ids from cut_messages where number > ? order by number',
)

/** A chain whose messages are followed. */
export type CutChain = {
  readonly store: Database
  readonly chain: MessageChain
  /** Returns whether a log is of a messenger that is believed. */
  readonly isOwn: (log: MessengerLog) => boolean
}

/** The store of messages, and the proof that it is this process's to write. */
export type MessageStore = {
  readonly store: Database
  readonly lease: Lease
  readonly clock: Clock
}

/**
 * Takes back what removed logs left in the store, applies again what the rest of the chain says of
 * the same messages, and moves the checkpoint of the chain back, all in one transaction. Cost:
 * nothing without a cut; with one, a scan of all messenger logs before it.
 */
export async function followCuts(of: CutChain, target: MessageStore): Promise<void> {
  const name = `cut ${of.chain.key}`
  const done = Number((await metaText(target.store, name)) ?? 0)
  const cuts = await of.store.all(cutsAfter, [done])
  const last = cuts.at(-1)
  if (last === undefined) return
  const ids = cuts.flatMap(([, , joined]) => messageIds(joined))
  const from = Math.min(...cuts.map(([, height]) => height))
  await underLease(target.store, target, async (writer) => {
    await takeBack(writer, of.chain, ids)
    // Applies logs before height `until` that are about the messages `ids`.
    const wanted = new Set(ids.map(keyOf))
    for await (const logs of pages(of.store, from * placesPerBlock)) {
      const own = logs.filter(
        (log) => of.isOwn(log) && wanted.has(keyOf(log.topics.subarray(0, 32))),
      )
      await applyMessages(writer, of.chain, own)
    }
    await moveBack(writer, of.chain.key, { from, epoch: target.lease.epoch })
    await putMeta(writer, { [name]: String(last[0]) })
  })
}

async function* pages(store: Reader, until: number): AsyncGenerator<readonly MessengerLog[]> {
  for (let from = 0; ;) {
    const logs = await messengerLogs(store, { from, until, limit: logsAtOnce })
    const last = logs.at(-1)
    if (last === undefined) return
    yield logs
    from = last.pos + 1
  }
}

async function moveBack(
  writer: Writer,
  key: string,
  to: { readonly from: number; readonly epoch: number },
): Promise<void> {
  const before = (await getCheckpoint(writer, key))?.height
  if (before === undefined || before < to.from) return
  const after = { height: to.from - 1, hash: undefined }
  await moveCheckpoint(writer, key, { before, after, epoch: to.epoch })
}
