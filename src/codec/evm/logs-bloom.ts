/**
 * The bloom filter of a header: three bits for each address and topic of the logs of a block.
 *
 * Source: Ethereum yellow paper, section 4.3.1; libevm core/types/bloom9.go.
 */

import { keccak256 } from '../../core/hash.ts'
import { u8At } from '../../core/item-at.ts'
import { isHexOf } from './hex-bytes.ts'
import { hexText, writeHex } from './hex.ts'
import { type RawLog, type RawReceipt, type RawUnit, listOf, objectOf } from './raw.ts'

/** 2,048 bits. */
const bloomBytes = 256

/**
 * Returns whether the bloom in a header is that of the logs of its block; `none` without logs, and
 * where execution comes after acceptance (saevm): there it is of other blocks. Throws
 * `node-answer`.
 */
export function compareBloom(unit: RawUnit): 'none' | 'hold' | 'broken' {
  const { block } = unit
  if (block.settledHeight !== undefined) return 'none'
  const bloom = logsBloom(unit.receipts)
  if (!isHexOf(block.logsBloom, bloom)) return 'broken'
  return bloom.some((byte) => byte !== 0) ? 'hold' : 'none'
}

/** Bloom over all logs of `receipts`. Throws `node-answer` for anything but a receipt or log. */
export function logsBloom(receipts: readonly unknown[]): Uint8Array {
  // The same token and topic come again and again: half of what a block hashes else.
  const seen = new Set<unknown>()
  for (const each of receipts) {
    const receipt: RawReceipt = objectOf(each, 'receipt')
    for (const one of listOf(receipt.logs, 'logs')) {
      const log: RawLog = objectOf(one, 'log')
      seen.add(log.address)
      for (const topic of listOf(log.topics, 'topics')) seen.add(topic)
    }
  }
  const bloom = new Uint8Array(bloomBytes)
  for (const item of seen) addTo(bloom, hexText(item, 'address or topic'))
  return bloom
}

/** Sets the bits that the first three words of the hash name, counted from the last. */
function addTo(bloom: Uint8Array, item: string): void {
  const bytes = new Uint8Array((item.length - 2) >>> 1)
  writeHex(item, { from: 2, until: 2 + bytes.length * 2 }, bytes, 0)
  const hash = keccak256(bytes)
  for (let at = 0; at < 6; at += 2) {
    const bit = ((u8At(hash, at) << 8) | u8At(hash, at + 1)) & 2_047
    const byte = bloomBytes - 1 - (bit >>> 3)
    bloom[byte] = u8At(bloom, byte) | (1 << (bit & 7))
  }
}
