/** Stored bytes as the text of the API. */

/** `0x` and lower-case digits. */
export function hexText(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** An integer of any length, `0x` hex, in base 10; `0x` alone is zero. */
export function decimalText(hex: string): string {
  if (hex.length === 2) return '0'
  // Twelve digits, 48 bits, fit a double exactly.
  return hex.length <= 14 ? String(Number(hex)) : BigInt(hex).toString()
}
