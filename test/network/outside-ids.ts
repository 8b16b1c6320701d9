/** Ids as nodes write them. Imports nothing of the product. */

import { createHash } from 'node:crypto'

const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** SHA-256, 32 bytes. */
export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Text of bytes with the checksum that ids have. */
export function cb58(bytes: Buffer): string {
  const checked = Buffer.concat([bytes, sha256(bytes).subarray(28)])
  let value = BigInt(`0x${checked.toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = letters[Number(value % 58n)] + text
  const zeros = checked.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros) + text
}
