/** The outbox of a primary network: of its P- and its X-Chain. */

import { keyOf } from '../../../core/bytes.ts'
import type { Writer } from '../../../store/engine/database.ts'
import { placeOfHeight, primaryChainOf } from '../../../store/query/events/ledger-places.ts'
import { slotLedgers, type Watch } from '../../../store/query/events/watch.ts'
import { placesBetween } from '../../../store/query/primary/network.ts'
import type { PrimaryChain } from '../../../store/schema/primary/position.ts'
import { type OutboxOptions, OutboxWriter } from '../../events/outbox-writer.ts'
import { addressStride } from '../batch/ledger.ts'
import type { RowBatch } from '../batch/rows.ts'

/** Adds places in the transaction of `writer`. */
export type PrimaryOutbox = {
  /** Of the transactions of a batch. */
  readonly blocks: (writer: Writer, batch: RowBatch) => Promise<void>
  /** Of missed slots: those of blocks of heights `from` inclusive to `until` exclusive. */
  readonly slots: (writer: Writer, chain: PrimaryChain, heights: HeightRange) => Promise<void>
}
type HeightRange = { readonly from: number; readonly until: number }

/** The outbox of a network. */
export function primaryOutbox(options: OutboxOptions): PrimaryOutbox {
  const outbox = new OutboxWriter({
    ...options,
    placeAfter: async (reader, ledger, moment) =>
      (await placesBetween(reader, primaryChainOf(ledger) ?? 'P', moment, undefined)).from,
  })
  const blocks: PrimaryOutbox['blocks'] = async (writer, batch) => {
    const { chain, from, until } = batch
    // Nothing of the C-Chain is reported here, and what the X-Chain had before its blocks is
    // history.
    if (chain === 'C' || from < 0 || from === until) return
    let met: ReadonlySet<string> | undefined
    const place = (height: number): number => placeOfHeight(chain, height)
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
  const slots: PrimaryOutbox['slots'] = async (writer, chain, { from, until }) => {
    const ledger = slotLedgers[chain]
    const range = { from: placeOfHeight(ledger, from), until: placeOfHeight(ledger, until) }
    await outbox.add(writer, { ledger, range, touches: async () => true })
  }
  return { blocks, slots }
}

/** Addresses of the batch's transactions; those of EVM accounts are none of these chains'. */
function addressKeys({ ledger, importCompletions }: RowBatch): ReadonlySet<string> {
  const keys = new Set<string>()
  for (let at = 0; at < ledger.addresses.length; at += addressStride)
    keys.add(keyOf(ledger.addresses.subarray(at + 1, at + addressStride)))
  for (const { utxo } of importCompletions) for (const one of utxo.addresses) keys.add(keyOf(one))
  return keys
}
