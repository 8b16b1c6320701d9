/** The hash of an address in this process's tables. */

import { randomBytes } from 'node:crypto'

// Logs name any 20 bytes as an address, for the price of the log: without a secret, an attacker
// could fill one slot of every table, and a batch would take minutes.
const secret = randomBytes(8)
const first = secret.readUInt32LE(0)
const second = secret.readUInt32LE(4)

/** Hash of an address as five words of 32 bits; another one in each process. */
// oxlint-disable-next-line max-params -- five words are the address; an array would be garbage
export function addressHash(a: number, b: number, c: number, d: number, e: number): number {
  let hash = Math.imul(a ^ first ^ (e >>> 7), 0x9e3779b1)
  hash = Math.imul((hash ^ b) + (hash >>> 15), 0x85ebca77)
  hash = Math.imul((hash ^ c) + (hash >>> 13), 0xc2b2ae3d)
  hash = Math.imul((hash ^ d ^ second) + (hash >>> 16), 0x27d4eb2f)
  hash = Math.imul((hash ^ e) + (hash >>> 15), 0x165667b1)
  return (hash ^ (hash >>> 16)) >>> 0
}
