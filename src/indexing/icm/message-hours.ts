/** Messages counted by hour. */

import { keyOf } from '../../core/bytes.ts'
import type { Writer } from '../../store/engine/database.ts'
import { icmHour } from '../../store/schema/icm.ts'

type Hour = {
  readonly network: number
  readonly hour: number
  readonly source: Uint8Array
  readonly destination: Uint8Array
  sent: number
  received: number
}

/** Changes since the last write, by hour and ends. */
export type HourCounts = Map<string, Hour>

const hourSeconds = 3_600

/** Counts an end of a message, given by column of its table; `times` -1 takes it back. */
export function countEnd(
  counts: HourCounts,
  of: { readonly what: 'sent' | 'received'; readonly times?: 1 | -1 },
  end: {
    readonly network: number
    readonly timestamp: number
    readonly source_id: Uint8Array
    readonly destination_id: Uint8Array
  },
): void {
  const { network, timestamp: time, source_id: source, destination_id: destination } = end
  const hour = time - (time % hourSeconds)
  const key = `${network} ${hour} ${keyOf(source)}${keyOf(destination)}`
  const entry = counts.get(key) ?? { network, hour, source, destination, sent: 0, received: 0 }
  entry[of.what] += of.times ?? 1
  counts.set(key, entry)
}

/** Adds counts, which may be negative, to those stored. */
export async function writeHours(writer: Writer, counts: HourCounts): Promise<void> {
  const hours = [...counts.values()]
  if (hours.length === 0) return
  const key = keysOf(hours)
  const known = await writer.lookup(
    { table: icmHour, key: icmHour.key, select: ['sent', 'received'] },
    [key.network, key.hour, key.source_id, key.destination_id],
  )
  const sent = hours.map((each, at) => each.sent + (known[at]?.[0] ?? 0))
  const received = hours.map((each, at) => each.received + (known[at]?.[1] ?? 0))
  await writer.upsert(icmHour, { ...key, sent, received })
  // An hour whose messages were all taken back has no row.
  const empty = hours.filter((_, at) => sent[at] === 0 && received[at] === 0)
  if (empty.length > 0) await writer.remove(icmHour, keysOf(empty))
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is its columns
function keysOf(hours: readonly Hour[]) {
  return {
    network: hours.map(({ network }) => network),
    hour: hours.map(({ hour }) => hour),
    source_id: hours.map(({ source }) => source),
    destination_id: hours.map(({ destination }) => destination),
  }
}
