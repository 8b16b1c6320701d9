/** The outbox of a primary network: of its P- and its X-Chain. */

import { keyOf } from '../../../core/bytes.ts'
import type { Writer } from '../../../store/engine/database.ts'
import type { Watch } from '../../../store/query/events/watch.ts'
import { placesBetween } from '../../../store/query/primary/network.ts'
import { blockIdOf, chainNumbers, firstPosOf } from '../../../store/schema/primary/position.ts'
import { type OutboxOptions, OutboxWriter } from '../../events/outbox-writer.ts'
import { addressStride } from '../batch/ledger.ts'
import type { RowBatch } from '../batch/rows.ts'

/** Adds the places of a batch, in the transaction of `writer`. */
export type PrimaryOutbox = (writer: Writer, batch: RowBatch) => Promise<void>

/** The outbox of a network. */
export function primaryOutbox(options: OutboxOptions): PrimaryOutbox {
  const outbox = new OutboxWriter({
    ...options,
    placeAfter: async (reader, ledger, moment) =>
      (await placesBetween(reader, ledger === 'X' ? 'X' : 'P', moment, undefined)).from,
  })
  return async (writer, batch) => {
    const { chain, from, until } = batch
    // Nothing of the C-Chain is reported here, and what the X-Chain had before its blocks is
    // history.
    if (chain === 'C' || from < 0 || from === until) return
    let met: ReadonlySet<string> | undefined
    const place = (height: number): number => firstPosOf(blockIdOf(chainNumbers[chain], height))
    await outbox.add(writer, {
      ledger: chain,
      range: { from: place(from), until: place(until) },
      touches: async ({ watched }: Watch) => {
        if (watched.kind !== 'addresses') return true
        met ??= addressKeys(batch)
        const seen = met
        return watched.addresses.some(({ bytes }) => seen.has(keyOf(bytes)))
      },
    })
  }
}

/** Addresses of the batch's transactions; those of EVM accounts are none of these chains'. */
function addressKeys({ ledger, importCompletions }: RowBatch): ReadonlySet<string> {
  const keys = new Set<string>()
  for (let at = 0; at < ledger.addresses.length; at += addressStride)
    keys.add(keyOf(ledger.addresses.subarray(at + 1, at + addressStride)))
  for (const { utxo } of importCompletions) for (const one of utxo.addresses) keys.add(keyOf(one))
  return keys
}
