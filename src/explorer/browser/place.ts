/** Where in the explorer we are: the part of the address after `#/`. */

import { useEffect, useState } from 'preact/hooks'

import { visible } from './format.ts'
import { changed, paramsOf, pathOf, segmentsOf } from './link.ts'

/** The present place without its parameters, as links write it. */
export function here(): string {
  return pathOf(location.hash)
}

/** Parameters of the present place. */
export function query(): URLSearchParams {
  return paramsOf(location.hash)
}

/** A link to the present place with parameters changed; empty ones go. */
export function withParams(changes: Readonly<Record<string, string>>): string {
  return changed(location.hash, changes)
}

/** The segments of the present place; renders again when it changes. */
export function usePlace(): string[] {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    let path = here()
    const moved = (): void => {
      setHash(location.hash)
      if (here() === path) return
      // Another page, not another part of a list: it is read from its top.
      path = here()
      scrollTo(0, 0)
      document.getElementById('main')?.focus({ preventScroll: true })
    }
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
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
    document.title = title === '' ? 'Firn' : `${visible(title)} · Firn`
  }, [title])
}

/** The text in a field of a form; empty where it has none. */
export function textIn(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** Goes to the page with what is in the fields of a form that was submitted, from its beginning. */
export function submitFilters(event: Event): void {
  event.preventDefault()
  if (!(event.currentTarget instanceof HTMLFormElement)) return
  const changes: Record<string, string> = { page: '' }
  for (const [name, value] of new FormData(event.currentTarget))
    if (typeof value === 'string') changes[name] = value.trim()
  go(withParams(changes))
}
