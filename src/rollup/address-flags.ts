/**
 * Addresses seen in each open period: one byte per address id for activity, one for ever.
 *
 * Ids are dense, so two bytes an address answer every distinct count at once: 200 MB for a chain
 * of a hundred million addresses, nothing per transaction.
 */

import { u8At } from '../core/item-at.ts'

/** Bits of `open`: two per unit, active and sender. A member of an hour is one of its day. */
export const openBits = {
  hour: 1,
  hourSender: 2,
  day: 4,
  daySender: 8,
  week: 16,
  weekSender: 32,
  month: 64,
  monthSender: 128,
} as const

/** Bits of `ever` and of today's deployers, by what showed them. */
export const everBits = {
  active: 1,
  deployerByReceipts: 2,
  deployerByTraces: 4,
  deployedTodayByReceipts: 8,
  deployedTodayByTraces: 16,
} as const

/** Flags by address id, growing with the ids. */
export type AddressFlags = {
  open: Uint8Array
  ever: Uint8Array
}

/** Flags for ids below `capacity`. */
export function addressFlags(capacity = 1_024): AddressFlags {
  return { open: new Uint8Array(capacity), ever: new Uint8Array(capacity) }
}

/** Makes room for ids up to `highest`. */
export function reserve(flags: AddressFlags, highest: number): void {
  if (highest < flags.open.length) return
  const capacity = Math.max(highest + 1, flags.open.length * 2)
  const grown = addressFlags(capacity)
  grown.open.set(flags.open)
  grown.ever.set(flags.ever)
  flags.open = grown.open
  flags.ever = grown.ever
}

/** Clears `bits` of every id. */
export function clearBits(bytes: Uint8Array, bits: number): void {
  const keep = ~bits & 255
  for (let id = 0; id < bytes.length; id++) bytes[id] = u8At(bytes, id) & keep
}
