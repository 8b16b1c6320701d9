/**
 * What kind of picture bytes are, by the bytes themselves: names and headers of strangers say
 * nothing. Only the kinds here are ever shown.
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
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBPVP/],
  ['image/avif', /^[^]{4}ftypavi[fs]/],
]

// Of the head only: a text that becomes a picture later is none.
const headBytes = 1_024

/** The kind of a picture; `undefined` for anything else. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1')
  const found = patterns.find(([, pattern]) => pattern.test(head))
  return found?.[0] ?? (isSvg(head) ? 'image/svg+xml' : undefined)
}

/** An `svg` element after nothing but a mark of the encoding, a declaration, comments and a type. */
function isSvg(head: string): boolean {
  const text = head
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .replace(/^<\?xml[^>]*\?>\s*/, '')
    .replace(/^(<!--[^]*?-->\s*)*/, '')
    .replace(/^<!DOCTYPE svg[^>[]*>\s*/i, '')
  return /^<svg[\s>/]/.test(text)
}
