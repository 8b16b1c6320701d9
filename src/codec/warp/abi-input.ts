/**
 * The message a caller hands in: bare, or as the data of the log that sent it.
 *
 * `SendWarpMessage(address,bytes32,bytes)` of precompile 0x02…05 has the unsigned message as its
 * only unindexed argument: a 32-byte offset, a 32-byte length, the bytes padded to 32. Callers
 * paste that, and the official client's own example does.
 */

import { equalBytes, toBigint } from '../../core/bytes.ts'

const word = 32
// The only offset one dynamic argument can have.
const offset = Uint8Array.from({ length: word }, (_, at) => (at === word - 1 ? word : 0))

/**
 * The message inside ABI-encoded log data, or `input` itself when it is not that.
 *
 * The two are never confused: where log data has zero bytes, a bare message has its network id,
 * which is never 0.
 */
export function unwrapMessage(input: Uint8Array): Uint8Array {
  if (input.length < 2 * word || !equalBytes(input.subarray(0, word), offset)) return input
  const length = toBigint(input.subarray(word, 2 * word))
  if (length > BigInt(input.length - 2 * word)) return input
  return input.subarray(2 * word, 2 * word + Number(length))
}
