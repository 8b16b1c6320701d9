/**
 * The kind of a picture by its bytes, because names and headers of strangers prove nothing. Only
 * the kinds here are ever shown.
 */

/** Media types that are shown. */
export type PictureType =
  | 'image/png'
  | 'image/jpeg'
  | 'image/gif'
  | 'image/webp'
  | 'image/avif'
  | 'image/svg+xml'

// Source: mimesniff.spec.whatwg.org, image type pattern matching; AVIF: ISO 14496-12 file type box.
const patterns: readonly (readonly [PictureType, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  // `GIF87a` and `GIF89a`.
  ['image/gif', /^47494638(37|39)61/],
  // `RIFF`, a length, `WEBPVP`.
  ['image/webp', /^52494646.{8}574542505650/],
  // A length, `ftypavif` or `ftypavis`.
  ['image/avif', /^.{8}66747970617669(66|73)/],
]

// Only the head counts: a text that becomes a picture further on is no picture.
const headBytes = 1_024

/** The kind of a picture; `undefined` for anything else. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes))
  const hex = head.toString('hex', 0, 16)
  const found = patterns.find(([, pattern]) => pattern.test(hex))
  return found?.[0] ?? (isSvg(head.toString('latin1')) ? 'image/svg+xml' : undefined)
}

/**
 * An `svg` element after nothing but a mark of the encoding, a declaration, comments and a type.
 */
function isSvg(head: string): boolean {
  const text = head
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .replace(/^<\?xml[^>]*\?>\s*/, '')
    .replace(/^(<!--[^]*?-->\s*)*/, '')
    .replace(/^<!DOCTYPE svg[^>[]*>\s*/i, '')
  return /^<svg[\s>/]/.test(text)
}
