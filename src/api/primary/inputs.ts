/** Reads what callers write: lists of addresses and node ids, ids, amounts. */

import { parseEvmAddress, parsePrimaryAddress } from '../../core/address.ts'
import { clip, keyOf } from '../../core/bytes.ts'
import { parseId, parseNodeId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'

/** Trimmed, non-empty, unique items of a comma-separated list. */
export function itemsOf(text: string): string[] {
  return [...new Set(text.split(',').map((item) => item.trim()))].filter((item) => item !== '')
}

/** Where addresses are of: `chain` where they are of one. */
type Space = { readonly hrp: string; readonly chain?: 'P' | 'X' | 'C' }

/**
 * 20-byte addresses of a list, unique, at least one, at most `max`. Bech32; off the P- and X-Chain also
 * 0x, which is the same 20 bytes. Throws `bad-parameter`.
 */
export function addressesIn(text: string, { hrp, chain }: Space, max: number): Uint8Array[] {
  const items = itemsOf(text)
  checkCount('addresses', items, max)
  const takesHex = chain !== 'P' && chain !== 'X'
  const parsed = items.map((item) => {
    const isHex = item.startsWith('0x')
    if (isHex && !takesHex)
      throw new Fault(
        'bad-parameter',
        `addresses: those of the ${chain}-Chain are ${chain}-${hrp}1…; what an EVM chain has of this one is at /v1/chains/{chainId}/addresses/{address}: ${clip(item)}`,
      )
    return named('addresses', () =>
      isHex ? parseEvmAddress(item) : parsePrimaryAddress(item, hrp),
    )
  })
  return [...new Map(parsed.map((bytes) => [keyOf(bytes), bytes])).values()]
}

/** Addresses by their space: those of outputs, and those of EVM accounts. */
export type AddressSets = {
  readonly owners: readonly Uint8Array[]
  readonly accounts: readonly Uint8Array[]
}

/** As {@link addressesIn}, but 0x names an EVM account. */
export function ownersAndAccountsIn(text: string, hrp: string, max: number): AddressSets {
  const items = itemsOf(text)
  checkCount('addresses', items, max)
  const isAccount = (item: string): boolean => item.startsWith('0x')
  return {
    owners: items
      .filter((item) => !isAccount(item))
      .map((item) => named('addresses', () => parsePrimaryAddress(item, hrp))),
    accounts: items
      .filter(isAccount)
      .map((item) => named('addresses', () => parseEvmAddress(item))),
  }
}

/** 20-byte node ids of a list. Throws `bad-parameter`. */
export function nodeIdsIn(text: string, max: number): Uint8Array[] {
  const items = itemsOf(text)
  checkCount('nodeIds', items, max)
  return items.map((item) => named('nodeIds', () => parseNodeId(item)))
}

/** A node id. Throws `bad-parameter`. */
export function nodeIdIn(parameter: string, text: string): Uint8Array {
  return named(parameter, () => parseNodeId(text))
}

/** A 32-byte id, cb58 or hex. Throws `bad-parameter`. */
export function idIn(parameter: string, text: string): Uint8Array {
  return named(parameter, () => parseId(text))
}

function checkCount(parameter: string, items: readonly string[], max: number): void {
  if (items.length === 0 || items.length > max)
    throw new Fault('bad-parameter', `${parameter} must hold 1 to ${max} entries: ${items.length}`)
}

/** Runs a parser of text, so that its fault names the parameter. */
function named<T>(parameter: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'bad-text') throw error
    throw new Fault('bad-parameter', `${parameter}: ${fault.message}`, { cause: error })
  }
}

/** Whole smallest units at or above a number. Throws `bad-parameter`. */
export function amountFrom(parameter: string, value: number | undefined): bigint {
  if (value === undefined) return 0n
  if (!(value < 2 ** 63))
    throw new Fault('bad-parameter', `${parameter} is too large: ${clip(String(value))}`)
  return BigInt(Math.ceil(value))
}
