/** Addresses of web services as people write them in settings and flags. */

/**
 * The fault of an address, with the corrected form when only the scheme is missing;
 * `undefined` when it is one of http or https.
 */
export function webAddressProblem(text: string): string | undefined {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return undefined
  const other = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]
  const corrected = other === undefined ? withScheme(text) : undefined
  const must = 'must be an address that begins with http:// or https://'
  return corrected === undefined ? must : `${must}, did you mean ${corrected}?`
}

/** Machines of one's own are called by http; others by https. */
function withScheme(text: string): string | undefined {
  const bare = text.replace(/^\/+/, '')
  const isNear = /^(localhost|127\.|10\.|192\.168\.|\[::1\])|^[\w-]+(:\d+)?(\/|$)/i.test(bare)
  const corrected = `${isNear ? 'http' : 'https'}://${bare}`
  return /^[a-z0-9.[\]:-]+(\/|$)/i.test(bare) && URL.canParse(corrected) ? corrected : undefined
}
