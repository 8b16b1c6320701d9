/** Where in the explorer we are, the path of the address, and whose explorer it is. */

import { useEffect, useState } from 'preact/hooks'

import type { Brand } from '../../brand.ts'
import { visible } from './format.ts'
import { changed, isPage, paramsOf, segmentsOf } from './link.ts'

const given: unknown = JSON.parse(
  (typeof document === 'undefined'
    ? null
    : document.querySelector<HTMLMetaElement>('meta[name=brand]')
  )?.content ?? '{}',
)

/** Firn's own where the document names none, as in tests. */
export const brand: Brand = {
  title: 'Firn',
  description: '',
  home: [],
  links: [],
  hasDocs: true,
  logo: '',
  ...Object(given),
}

function present(): string {
  return location.pathname + location.search
}

/** The present place without its parameters, as links write it. */
export function here(): string {
  return location.pathname
}

/** Parameters of the present place. */
export function query(): URLSearchParams {
  return paramsOf(present())
}

/** A link to the present place with parameters changed; empty ones go. */
export function withParams(changes: Readonly<Record<string, string>>): string {
  return changed(present(), changes)
}

/** The segments of the present place; renders again when it changes. */
export function usePlace(): string[] {
  const [place, setPlace] = useState(present())
  useEffect(() => {
    let path = here()
    const moved = (): void => {
      setPlace(present())
      if (here() === path) return
      // Another page, not another part of a list: it is read from its top.
      path = here()
      scrollTo(0, 0)
      document.getElementById('main')?.focus({ preventScroll: true })
    }
    addEventListener('popstate', moved)
    addEventListener('click', follow)
    addEventListener('keydown', step)
    return () => {
      removeEventListener('popstate', moved)
      removeEventListener('click', follow)
      removeEventListener('keydown', step)
    }
  }, [])
  return segmentsOf(place)
}

/** A plain click on a link to a page loads nothing: the page moves. */
function follow(event: MouseEvent): void {
  const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event
  const link = target instanceof Element ? target.closest('a') : null
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
  if (link === null || link.origin !== location.origin || !isPage(link.pathname)) return
  event.preventDefault()
  go(link.pathname + link.search)
}

/** Arrow keys follow the links to what is before and after the thing of the page. */
function step(event: KeyboardEvent): void {
  const { key, metaKey, ctrlKey, shiftKey, altKey } = event
  const isScrolling = event.target instanceof Element && event.target.closest('.scroll') !== null
  if (isTyping(event) || isScrolling || metaKey || ctrlKey || shiftKey || altKey) return
  const rel = key === 'ArrowLeft' ? 'prev' : key === 'ArrowRight' ? 'next' : ''
  if (rel !== '') document.querySelector<HTMLAnchorElement>(`a[rel=${rel}]`)?.click()
}

/** Returns whether a key goes into a field. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.matches('input, select, textarea')
}

/** Goes somewhere. */
export function go(link: string): void {
  if (link !== present()) history.pushState(null, '', link)
  dispatchEvent(new PopStateEvent('popstate'))
}

/** Links had the place behind `#` before it was a path. */
export function leadOn(): void {
  if (location.hash.startsWith('#/')) history.replaceState(null, '', location.hash.slice(1))
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? brand.title : `${visible(title)} · ${brand.title}`
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
