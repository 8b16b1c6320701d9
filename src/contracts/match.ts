/**
 * Compares what a compiler made with what lies on a chain.
 *
 * Code on a chain may differ from made code in three kinds of places only, all of which the compiler
 * itself names: immutables, addresses of libraries, and hashes of the sources.
 * Source: Solidity documentation, Contract Metadata and Compiler Input and Output JSON Description.
 */

import { concatBytes, equalBytes, fromHex, toHex } from '../core/bytes.ts'
import { isObject } from '../core/json.ts'

/**
 * `full`: the very same code, with the hash of its sources in it. `partial`: the same but for that
 * hash (comments, names of files), or code without one.
 */
export type Match = 'full' | 'partial'

/** A place in code that is filled later, bytes; all places `of` one thing are filled alike. */
type Hole = { readonly start: number; readonly length: number; readonly of: string }

/** Code as a compiler gives it, its holes zero. */
export type MadeCode = {
  readonly code: Uint8Array
  readonly holes: readonly Hole[]
  /** Where hashes of sources lie that may be others, 32 bytes each. */
  readonly digests: readonly number[]
}

/** Values of holes, {@link holeValue} by what fills them. */
export type HoleValues = Map<string, string>

/** As the compiler itself calls the hole in a library for the address of that library. */
export const ownAddress = 'library_deploy_address'

/** Reads `evm.bytecode` or `evm.deployedBytecode` of a compiler's output; `undefined`: no code. */
export function madeCode(output: unknown): MadeCode | undefined {
  if (!isObject(output) || typeof output['object'] !== 'string') return undefined
  const linked = isObject(output['linkReferences']) ? output['linkReferences'] : {}
  const holes = [
    ...holesOf(output['immutableReferences'], ''),
    ...Object.entries(linked).flatMap(([file, libraries]) => holesOf(libraries, `${file}:`)),
  ]
  let hex = output['object'].replace(/^0x/, '')
  for (const { start, length } of holes)
    hex = hex.slice(0, 2 * start) + '0'.repeat(2 * length) + hex.slice(2 * (start + length))
  // A library begins with its own address, which older compilers leave zero: PUSH20 … ADDRESS EQ.
  if (/^730{40}3014/.test(hex)) holes.push({ start: 1, length: 20, of: ownAddress })
  return hex === '' ? undefined : { code: fromHex(hex), holes, digests: [] }
}

/**
 * Code that Vyper made, with the place behind it for immutables of so many bytes. Vyper 0.3.10 and later say
 * how many at the end of `creation`, as CBOR; of earlier ones that is what the creation code on the chain adds,
 * where it `isProved`.
 */
export function withImmutables(
  runtime: MadeCode,
  creation: MadeCode,
  { found, isProved }: { readonly found: number; readonly isProved: boolean },
): MadeCode {
  const told = /(?:18([1-9a-f].)|19(....)|([01].))a165767970657283.{6}00..$/.exec(
    toHex(creation.code),
  )
  const start = runtime.code.length
  const length =
    told === null
      ? isProved
        ? Math.max(0, found - start)
        : 0
      : Number.parseInt(told[1] ?? told[2] ?? told[3] ?? '', 16)
  if (length === 0) return runtime
  const code = concatBytes(runtime.code, new Uint8Array(length))
  return { ...runtime, code, holes: [...runtime.holes, { start, length, of: 'immutables' }] }
}

function holesOf(references: unknown, prefix: string): Hole[] {
  return Object.entries(isObject(references) ? references : {}).flatMap(([name, places]) =>
    (Array.isArray(places) ? places : []).flatMap((one: unknown) =>
      isObject(one) && typeof one['start'] === 'number' && typeof one['length'] === 'number'
        ? [{ start: one['start'], length: one['length'], of: `${prefix}${name}` }]
        : [],
    ),
  )
}

/** Bytes of a hash of sources. */
const digestBytes = 32

/** Bytes before a hash in metadata: a key of CBOR, a length, of `ipfs` the kind of hash. */
const marks = ['646970667358221220', '65627a7a72305820', '65627a7a72315820'].map((mark) =>
  Buffer.from(fromHex(mark)),
)

/**
 * `made` with its digests: the hashes that are others in `twin`, which was made of the same input but
 * for its metadata. A mark proves nothing, since sources may have one anywhere.
 */
export function withDigests(made: MadeCode, twin: MadeCode | undefined): MadeCode {
  const { code } = made
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.length)
  const digests: number[] = []
  if (twin?.code.length !== code.length) return made
  for (let at = 0; at < code.length; at++) {
    if (code[at] === twin.code[at]) continue
    // The nearest mark before a byte that differs: a false one may stand before the true one.
    const start = Math.max(
      ...marks.map((mark) => {
        const before = at < mark.length ? -1 : bytes.lastIndexOf(mark, at - mark.length)
        return before < 0 ? -1 : before + mark.length
      }),
    )
    if (start < 0 || at >= start + digestBytes) continue
    digests.push(start)
    at = start + digestBytes - 1
  }
  return { ...made, digests }
}

/**
 * How `found` is `made` with its holes filled; `undefined`: it is other code. `values` are what fills
 * them as far as it is known, and are added to. `isHashed`: the compiler appended hashes.
 */
export function matchOf(
  { code, holes, digests }: MadeCode,
  found: Uint8Array,
  { values, isHashed }: { readonly values: HoleValues; readonly isHashed: boolean },
): Match | undefined {
  if (code.length !== found.length) return undefined
  const bare = found.slice()
  for (const { start, length, of } of holes) {
    const value = holeValue(bare.subarray(start, start + length))
    if ((values.get(of) ?? value) !== value) return undefined
    values.set(of, value)
    bare.fill(0, start, start + length)
  }
  if (equalBytes(code, bare)) return isHashed ? 'full' : 'partial'
  for (const at of digests) bare.set(code.subarray(at, at + digestBytes), at)
  return equalBytes(code, bare) ? 'partial' : undefined
}

/** Value of a hole as a word in hex: an address has 20 bytes in one place and 32 in another. */
export function holeValue(bytes: Uint8Array): string {
  return toHex(bytes).padStart(64, '0')
}

/** Code without the metadata behind it, a map of CBOR whose length stands in the last two bytes; all of other code. */
export function withoutMetadata(code: Uint8Array): Uint8Array {
  const size = 256 * (code.at(-2) ?? 0) + (code.at(-1) ?? 0) + 2
  const first = code[code.length - size] ?? 0
  return first > 0xa0 && first < 0xb8 ? code.subarray(0, -size) : code
}

/** The version of the compiler that code says made it: `0.8.20`; `undefined` where it says none. */
export function compilerIn(code: Uint8Array): string | undefined {
  const end = /^64736f6c6343(..)(..)(..)....$/.exec(toHex(code.subarray(-11)))
  return end
    ?.slice(1)
    .map((each) => Number.parseInt(each, 16))
    .join('.')
}
