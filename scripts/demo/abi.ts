/** Calls of contracts as bytes, as far as the contracts of the demo need it. */

import { concatBytes, fromBigint, fromHex } from '../../src/core/bytes.ts'
import { keccak256 } from '../../src/core/hash.ts'

/**
 * An argument: a number, 20 bytes of an address, 32 bytes of a word, a text, longer bytes by
 * {@link bytesOf}, or a list of numbers or addresses. A struct of words is its words.
 */
export type Argument =
  | bigint
  | boolean
  | Uint8Array
  | string
  | { readonly bytes: Uint8Array }
  | readonly (bigint | Uint8Array)[]

/** Bytes of any length as an argument. */
export function bytesOf(bytes: Uint8Array): Argument {
  return { bytes }
}

/** A call: `transfer(address,uint256)` and its arguments. */
export function callOf(signature: string, ...given: readonly Argument[]): Uint8Array {
  const selector = keccak256(new TextEncoder().encode(signature)).subarray(0, 4)
  return concatBytes(selector, argumentsOf(given))
}

/** Arguments as they stand after a selector or after the code that makes a contract. */
export function argumentsOf(given: readonly Argument[]): Uint8Array {
  const tails: Uint8Array[] = []
  let offset = given.length * 32
  const heads = given.map((argument) => {
    const word = wordOf(argument)
    if (word !== undefined) return word
    const tail = tailOf(argument)
    tails.push(tail)
    offset += tail.length
    return fromBigint(BigInt(offset - tail.length), 32)
  })
  return concatBytes(...heads, ...tails)
}

function wordOf(argument: Argument): Uint8Array | undefined {
  if (typeof argument === 'bigint') return fromBigint(argument, 32)
  if (typeof argument === 'boolean') return fromBigint(argument ? 1n : 0n, 32)
  if (argument instanceof Uint8Array)
    return concatBytes(new Uint8Array(32 - argument.length), argument)
  return undefined
}

function tailOf(argument: Argument): Uint8Array {
  if (typeof argument === 'string') return padded(new TextEncoder().encode(argument))
  if (typeof argument === 'object' && 'bytes' in argument) return padded(argument.bytes)
  const list = argument as readonly (bigint | Uint8Array)[]
  return concatBytes(fromBigint(BigInt(list.length), 32), argumentsOf(list))
}

function padded(bytes: Uint8Array): Uint8Array {
  const rest = new Uint8Array((32 - (bytes.length % 32)) % 32)
  return concatBytes(fromBigint(BigInt(bytes.length), 32), bytes, rest)
}

/** Bytes of a hex text of a receipt. */
export function hexOf(value: unknown): Uint8Array {
  return fromHex(String(value))
}
