/** Heads of RLP items: what a string or list is, and how long. Source: yellow paper, appendix B. */

/** Bytes of the head of a string or list of `size` bytes. */
export function headSize(size: number): number {
  return size < 56 ? 1 : 1 + lengthBytes(size)
}

/** Writes the head of a byte string (base 0x80) or list (0xc0) at `from`; returns where it ends. */
export function writeHead(
  bytes: Uint8Array,
  from: number,
  of: { readonly size: number; readonly base: number },
): number {
  const { size, base } = of
  if (size < 56) {
    bytes[from] = base + size
    return from + 1
  }
  const length = lengthBytes(size)
  bytes[from] = base + 55 + length
  for (let at = 0; at < length; at++) bytes[from + 1 + at] = size >>> (8 * (length - 1 - at))
  return from + 1 + length
}

function lengthBytes(size: number): number {
  return size < 0x100 ? 1 : size < 0x1_0000 ? 2 : size < 0x100_0000 ? 3 : 4
}
