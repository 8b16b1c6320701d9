/** Unsigned integers wider than a double, as the store keeps them: big-endian, no leading zeros. */

const noBytes = new Uint8Array()

// Six bytes fit a double exactly, so that a bigint is touched once per six bytes.
const partBytes = 6
const partBits = 48n

/** The integer of `bytes`. */
export function wideInteger(bytes: Uint8Array): bigint {
  const head = bytes.length % partBytes
  let value = BigInt(part(bytes, 0, head))
  for (let at = head; at < bytes.length; at += partBytes)
    value = (value << partBits) + BigInt(part(bytes, at, at + partBytes))
  return value
}

/** Bytes of `value`, which is not negative. */
export function wideBytes(value: bigint): Uint8Array {
  if (value === 0n) return noBytes
  const parts: number[] = []
  for (let rest = value; rest > 0n; rest >>= partBits) parts.push(Number(BigInt.asUintN(48, rest)))
  const top = parts[parts.length - 1] ?? 0
  let size = (parts.length - 1) * partBytes
  for (let rest = top; rest > 0; rest = Math.floor(rest / 256)) size++
  const bytes = new Uint8Array(size)
  let at = size
  for (const each of parts)
    for (let rest = each, byte = 0; byte < partBytes && at > 0; byte++) {
      bytes[--at] = rest % 256
      rest = Math.floor(rest / 256)
    }
  return bytes
}

function part(bytes: Uint8Array, from: number, until: number): number {
  let value = 0
  for (let at = from; at < until; at++) value = value * 256 + (bytes[at] ?? 0)
  return value
}
