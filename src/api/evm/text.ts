/** Stored bytes as the text of the API. */

/** `0x` and lower-case digits. */
export function hexText(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** A big-endian integer of any length in base 10. */
export function decimalText(bytes: Uint8Array): string {
  // Six bytes fit a double exactly.
  if (bytes.length <= 6) {
    let value = 0
    for (let at = 0; at < bytes.length; at++) value = value * 256 + (bytes[at] ?? 0)
    return String(value)
  }
  return BigInt(hexText(bytes)).toString()
}
