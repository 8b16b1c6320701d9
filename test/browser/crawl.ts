/** Visits places of every kind that links lead to, and says what is wrong on each. */

import type { Browser } from 'playwright-core'

import { axeFaults, overflow, visit, watchedPage } from './watched-page.ts'

/** Findings. */
export type Crawl = {
  /** Kinds of places that were visited, with how many of each. */
  readonly kinds: ReadonlyMap<string, number>
  /** Faults by place. */
  readonly faults: readonly string[]
}

/** A place without its ids: `/chain/51001/tx/0x…` is `chain/:/tx/:`. */
export function kindOf(place: string): string {
  return place
    .replace(/^\//, '')
    .replace(/\?.*/, '')
    .split('/')
    .map((part, at, [first]) =>
      at > 0 && (first === 'api' || first === 'metrics')
        ? ':'
        : /^[a-z][a-z0-9-]{0,24}$/i.test(part) && !/^(fuji|mainnet)$/.test(part)
          ? part
          : ':',
    )
    .join('/')
}

/** Pages to visit, and how often each kind of them: the second often has what the first lacks. */
export type CrawlPlan = {
  readonly width: number
  readonly seeds: readonly string[]
  readonly perKind: number
}

/** Follows links from the overview and from `seeds`; each kind of place `perKind` times, in light and dark. */
export async function crawl(
  browser: Browser,
  origin: string,
  { width, seeds, perKind }: CrawlPlan,
): Promise<Crawl> {
  const {
    page,
    faults: seen,
    close,
  } = await watchedPage(browser, origin, { width, scheme: 'light' })
  const kinds = new Map<string, number>()
  const faults: string[] = []
  const known = new Set(['/', ...seeds])
  const queue = [...known]
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const kind = kindOf(place)
    const visited = kinds.get(kind) ?? 0
    if (visited >= perKind) continue
    kinds.set(kind, visited + 1)
    await visit(page, origin, place)
    const title = await page.title()
    if (place !== '/' && !/ · (Firn|Summit Explorer)$/.test(title)) seen.push(`title: ${title}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const wrong = [...(await overflow(page)), ...(await axeFaults(page)), ...seen.splice(0)]
      faults.push(...wrong.map((one) => `${width} ${colorScheme} ${place}: ${one}`))
    }
    const links = await page.$$eval('#main a[href^="/"], .menu a', (all) =>
      all.map((one) => one.getAttribute('href') ?? ''),
    )
    for (const link of links)
      if (!known.has(link) && !/^\/(docs|status|openapi)/.test(link)) {
        known.add(link)
        queue.push(link)
      }
  }
  await close()
  return { kinds, faults }
}
