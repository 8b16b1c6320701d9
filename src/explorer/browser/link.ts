/** Addresses of the explorer: what stands after `#/`, and the parameters after it. */

/**
 * The segments of a hash, decoded: `#/chain/1/block/2?page=2` is `['chain', '1', 'block', '2']`.
 */
export function segmentsOf(hash: string): string[] {
  return pathOf(hash)
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
}

/** A hash without its parameters. */
export function pathOf(hash: string): string {
  return hash.split('?', 1)[0] ?? ''
}

/** Parameters of a hash: page, filters and order of lists. */
export function paramsOf(hash: string): URLSearchParams {
  return new URLSearchParams(hash.slice(pathOf(hash).length))
}

/** A hash with parameters changed; empty ones go. */
export function changed(hash: string, changes: Readonly<Record<string, string>>): string {
  const params = paramsOf(hash)
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name)
    else params.set(name, value)
  }
  const text = params.toString()
  return text === '' ? pathOf(hash) : `${pathOf(hash)}?${text}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // A stray percent sign is only text.
    return part
  }
}

/** A link to a place inside the explorer. */
export function to(...segments: readonly (string | number)[]): string {
  return `#/${segments.map((segment) => encodeURIComponent(String(segment))).join('/')}`
}
