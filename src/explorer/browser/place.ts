/** Where in the explorer we are: the part of the address after `#/`. */

import { useEffect, useState } from 'preact/hooks'

/** The segments of a hash, decoded: `#/chain/1/block/2` is `['chain', '1', 'block', '2']`. */
export function segmentsOf(hash: string): string[] {
  return hash
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
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

/** The segments of the present place; renders again when it changes. */
export function usePlace(): string[] {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const changed = (): void => {
      setHash(location.hash)
      scrollTo(0, 0)
    }
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return segmentsOf(hash)
}

/** Goes somewhere. */
export function go(link: string): void {
  location.hash = link
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Firn' : `${title} · Firn`
  }, [title])
}
