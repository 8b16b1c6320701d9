/**
 * Compares what a compiler made with what lies on a chain.
 *
 * Source: Solidity documentation, Contract Metadata and Compiler Input and Output JSON Description.
 */

import { compareBytes, equalBytes, fromHex } from '../core/bytes.ts'
import { isObject } from '../core/json.ts'

/**
 * `full`: the very same code, with the hash of its sources in it. `partial`: the same but for what
 * describes the sources (comments, names of files), or without a hash.
 */
export type Match = 'full' | 'partial'

/** A place in code that is filled later: a library's address, an immutable. Bytes. */
type Hole = { readonly start: number; readonly length: number }

/** Code as a compiler gives it, its holes zero. */
export type MadeCode = { readonly code: Uint8Array; readonly holes: readonly Hole[] }

/** Reads `evm.bytecode` or `evm.deployedBytecode` of a compiler's output; `undefined`: no code. */
export function madeCode(output: unknown): MadeCode | undefined {
  if (!isObject(output) || typeof output['object'] !== 'string') return undefined
  const linked = isObject(output['linkReferences']) ? Object.values(output['linkReferences']) : []
  const holes = [output['immutableReferences'], ...linked].flatMap(holesOf)
  let hex = output['object']
  for (const { start, length } of holes)
    hex = hex.slice(0, 2 * start) + '0'.repeat(2 * length) + hex.slice(2 * (start + length))
  // Compilers before 0.5 give no list of places.
  hex = hex.replaceAll(/__.{36}__/g, (_, at: number) => {
    holes.push({ start: at / 2, length: 20 })
    return '0'.repeat(40)
  })
  const code = fromHex(hex)
  return code.length === 0 ? undefined : { code, holes: [...holes, ...ownAddress(code)] }
}

function holesOf(references: unknown): Hole[] {
  if (!isObject(references)) return []
  return Object.values(references)
    .flat()
    .flatMap((one) =>
      isObject(one) && typeof one['start'] === 'number' && typeof one['length'] === 'number'
        ? [{ start: one['start'], length: one['length'] }]
        : [],
    )
}

/** A library begins with its own address, which the compiler leaves zero: PUSH20 … ADDRESS EQ. */
function ownAddress(code: Uint8Array): Hole[] {
  const isLibrary =
    code[0] === 0x73 && code[21] === 0x30 && code[22] === 0x14 && isBlank(code.subarray(1, 21))
  return isLibrary ? [{ start: 1, length: 20 }] : []
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

/** Compares `found` with the code that `made` became; `undefined`: it is other code. */
export function matchOf(made: MadeCode, found: Uint8Array): Match | undefined {
  const [a, b] = [filled(made.code, made.holes), filled(found, made.holes)]
  if (equalBytes(a, b)) return hashes(a).length > 0 ? 'full' : 'partial'
  const places = [...hashes(a), ...hashes(b)]
  const [bare, other] = [a, b].map((code) => withoutMetadata(filled(code, places)))
  return bare !== undefined && other !== undefined && bare.length > 0 && equalBytes(bare, other)
    ? 'partial'
    : undefined
}

/** As {@link matchOf} for creation code, and the constructor's arguments behind it. */
export function creationMatch(
  made: MadeCode,
  found: Uint8Array,
): { readonly match: Match; readonly constructorArguments: Uint8Array } | undefined {
  const size = made.code.length
  const match = matchOf(made, found.subarray(0, size))
  return match === undefined ? undefined : { match, constructorArguments: found.subarray(size) }
}

function filled(code: Uint8Array, holes: readonly Hole[]): Uint8Array {
  const copy = code.slice()
  for (const { start, length } of holes) copy.fill(0, start, start + length)
  return copy
}

/** Keys of the metadata in CBOR before the hash of the sources, and the hash's length. */
const hashKeys = [
  [fromHex('64697066735822'), 34],
  [fromHex('65627a7a72305820'), 32],
  [fromHex('65627a7a72315820'), 32],
] as const

/** Hashes of sources, of the contract and of those that it creates. */
function hashes(code: Uint8Array): Hole[] {
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.length)
  const found: Hole[] = []
  for (const [key, length] of hashKeys)
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1))
      found.push({ start: at + key.length, length })
  return found
}

/** Metadata is a CBOR map at the end; its length are the last two bytes. */
function metadataBytes(code: Uint8Array): number {
  if (code.length < 4) return 0
  const size =
    new DataView(code.buffer, code.byteOffset, code.length).getUint16(code.length - 2) + 2
  const first = code[code.length - size]
  return first !== undefined && first >= 0xa1 && first <= 0xa4 ? size : 0
}

function withoutMetadata(code: Uint8Array): Uint8Array {
  return code.subarray(0, code.length - metadataBytes(code))
}

/** The version of the compiler that code says made it: `0.8.20`; `undefined` where it says none. */
export function compilerIn(code: Uint8Array): string | undefined {
  const metadata = code.subarray(code.length - metadataBytes(code))
  const key = fromHex('64736f6c6343')
  for (let at = 0; at + key.length + 3 <= metadata.length; at++)
    if (compareBytes(metadata.subarray(at, at + key.length), key) === 0)
      return metadata.subarray(at + key.length, at + key.length + 3).join('.')
  return undefined
}
