/** Addresses that a visitor watches, each with a note: kept by this browser, and told to nobody. */

import { useEffect, useState } from 'preact/hooks'

import { keep, kept } from '../kit/parts.ts'

/** A watched address. */
export type Watched = {
  readonly chainId: string
  /** In lower case. */
  readonly address: string
  readonly note: string
}

/** More would be requests that nobody reads. */
const mostWatched = 20

const listName = 'firn-watched'
const changes = new EventTarget()

/** The list, and how it is changed; it follows changes by other parts of the page and other tabs. */
export function useWatchList(): {
  readonly all: readonly Watched[]
  /** Adds an address, or changes its note. */
  readonly put: (one: Watched) => void
  readonly remove: (one: Watched) => void
} {
  const [all, set] = useState(readList)
  useEffect(() => {
    const look = (): void => set(readList())
    changes.addEventListener('change', look)
    addEventListener('storage', look)
    return () => {
      changes.removeEventListener('change', look)
      removeEventListener('storage', look)
    }
  }, [])
  const write = (list: readonly Watched[]): void => {
    keep(listName, JSON.stringify(list))
    changes.dispatchEvent(new Event('change'))
  }
  const others = (one: Watched): readonly Watched[] =>
    readList().filter((each) => !isSame(each, one))
  return {
    all,
    put: (one) => write([...others(one), one].slice(-mostWatched)),
    remove: (one) => write(others(one)),
  }
}

/** Returns whether both are the same address of the same chain. */
export function isSame(one: Omit<Watched, 'note'>, other: Omit<Watched, 'note'>): boolean {
  return one.chainId === other.chainId && one.address === other.address
}

function readList(): readonly Watched[] {
  try {
    const list: unknown = JSON.parse(kept(listName) || '[]')
    return Array.isArray(list) ? list.filter(isWatched) : []
  } catch {
    return []
  }
}

function isWatched(value: unknown): value is Watched {
  if (typeof value !== 'object' || value === null) return false
  const { chainId, address, note } = { chainId: 0, address: 0, note: 0, ...value }
  return [chainId, address, note].every((text) => typeof text === 'string')
}
