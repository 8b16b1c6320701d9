/** The watch of a webhook, as the tables and the indexing threads have it. */

import { fromHex, toHex } from '../../../core/bytes.ts'

/**
 * Where the places of a webhook lie:
 *
 * - `blocks`, `traces`: an EVM chain, complete with its blocks, or with their traces
 * - `P`, `X`: chains of a primary network
 * - those of {@link slotLedgers}: slots of proposers that passed on such a chain, complete with its judged blocks
 */
export const webhookLedgers = [
  'blocks',
  'traces',
  'P',
  'X',
  'P slots',
  'X slots',
  'C slots',
] as const
/** One of {@link webhookLedgers}. */
export type WebhookLedger = (typeof webhookLedgers)[number]

/** The ledger of passed slots of a chain, which is the stage whose checkpoint says how far it is. */
export const slotLedgers = { P: 'P slots', X: 'X slots', C: 'C slots' } as const

/** An address, and the first place from which it is reported. */
export type WatchedAddress = { readonly bytes: Uint8Array; readonly from: number }

/** The watched subjects. */
export type Watched =
  | { readonly kind: 'addresses'; readonly addresses: readonly WatchedAddress[] }
  | {
      readonly kind: 'node' | 'subnet'
      /** 20 bytes of a node, 32 of a subnet. */
      readonly key: Uint8Array
      /** Only these subnets of the node, or nodes of the subnet; empty: all. */
      readonly only: readonly Uint8Array[]
      readonly from: number
      /** nAVAX; absent: the balances of L1 validators are not looked at. */
      readonly l1Threshold?: bigint | undefined
    }

/** A webhook as the indexing threads see it. */
export type Watch = {
  readonly number: number
  readonly ledger: WebhookLedger
  readonly watched: Watched
}

/** {@link Watched} as the tables keep it. */
export type WatchedText =
  | { readonly kind: 'addresses'; readonly addresses: readonly (readonly [string, number])[] }
  | {
      readonly kind: 'node' | 'subnet'
      readonly key: string
      readonly only: readonly string[]
      readonly from: number
      readonly l1Threshold?: string | undefined
    }

/** For the tables. */
export function watchedText(watched: Watched): WatchedText {
  if (watched.kind === 'addresses')
    return {
      kind: 'addresses',
      addresses: watched.addresses.map(({ bytes, from }) => [toHex(bytes), from]),
    }
  const { kind, key, only, from, l1Threshold } = watched
  return {
    kind,
    key: toHex(key),
    only: only.map(toHex),
    from,
    l1Threshold: l1Threshold === undefined ? undefined : String(l1Threshold),
  }
}

/** From the tables. */
export function watchedOf(text: WatchedText): Watched {
  if (text.kind === 'addresses')
    return {
      kind: 'addresses',
      addresses: text.addresses.map(([bytes, from]) => ({ bytes: fromHex(bytes), from })),
    }
  const { kind, key, only, from, l1Threshold } = text
  return {
    kind,
    key: fromHex(key),
    only: only.map(fromHex),
    from,
    l1Threshold: l1Threshold === undefined ? undefined : BigInt(l1Threshold),
  }
}

/** The first place from which any of it is reported. */
export function firstPlace(watched: Watched): number {
  return watched.kind === 'addresses'
    ? watched.addresses.reduce((first, { from }) => Math.min(first, from), Number.MAX_SAFE_INTEGER)
    : watched.from
}
