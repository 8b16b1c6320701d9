/** The outbox of an EVM chain. */

import type { BlockBatch, TraceBatch } from '../../codec/evm/columns/columns.ts'
import { keyOf } from '../../core/bytes.ts'
import type { HeightRange } from '../../source/evm-source.ts'
import { type Reader, statement, type Writer } from '../../store/engine/database.ts'
import { cutOutbox } from '../../store/query/events/outbox.ts'
import type { PlaceRange } from '../../store/query/events/places-of-addresses.ts'
import type { Watch } from '../../store/query/events/watch.ts'
import { posOfHeight } from '../../store/query/evm/position.ts'
import { type OutboxOptions, OutboxWriter } from './outbox-writer.ts'

/** Adds the places of a batch, in the transaction of `writer`. */
export type EvmOutbox = {
  readonly blocks: (writer: Writer, batch: BlockBatch) => Promise<void>
  readonly traces: (writer: Writer, batch: TraceBatch) => Promise<void>
  /** Removes the places from height `from` on, whose blocks are read again. */
  readonly cut: (writer: Writer, from: number) => Promise<void>
}

/** The outbox of a chain. */
export function evmOutbox(options: OutboxOptions): EvmOutbox {
  const outbox = new OutboxWriter({
    ...options,
    placeAfter: async (reader, _ledger, moment) => posOfHeight(await heightAfter(reader, moment)),
  })
  const rangeOf = (batch: HeightRange): PlaceRange => ({
    from: posOfHeight(batch.from),
    until: posOfHeight(batch.until),
  })
  return {
    blocks: (writer, batch) => {
      let met: ReadonlySet<string> | undefined
      return outbox.add(writer, {
        ledger: 'blocks',
        range: rangeOf(batch),
        touches: async ({ watched }: Watch) => {
          met ??= addressKeys(batch.addresses)
          const seen = met
          return (
            watched.kind === 'addresses' &&
            watched.addresses.some(({ bytes }) => seen.has(keyOf(bytes)))
          )
        },
      })
    },
    // Traces repeat not every address of their blocks.
    traces: (writer, batch) =>
      outbox.add(writer, {
        ledger: 'traces',
        range: rangeOf(batch),
        touches: async () => true,
      }),
    cut: (writer, from) => cutOutbox(writer, posOfHeight(from)),
  }
}

const addressBytes = 20

function addressKeys(addresses: Uint8Array): ReadonlySet<string> {
  const keys = new Set<string>()
  for (let at = 0; at < addresses.length; at += addressBytes)
    keys.add(keyOf(addresses.subarray(at, at + addressBytes)))
  return keys
}

const first = statement('select height from evm_block order by height limit 1', { over: 'oldest' })
const last = statement('select height from evm_block order by height desc limit 1', {
  over: 'newest',
})
const timeAt = statement('select timestamp from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

/** First stored height with a time after `moment`; one after the last when there is none. */
async function heightAfter(reader: Reader, moment: number): Promise<number> {
  const [begin, end] = [await reader.get(first), await reader.get(last)]
  if (begin === undefined || end === undefined) return 0
  let low = begin[0]
  let high = end[0] + 1
  while (low < high) {
    const middle: number = Math.floor((low + high) / 2)
    const time = await reader.get(timeAt, [middle])
    if (time !== undefined && time[0] > moment) high = middle
    else low = middle + 1
  }
  return low
}
