/** A page of the explorer that notes what must not happen on any: errors, requests to elsewhere. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Browser, BrowserContext, Page } from 'playwright-core'

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

// Machines that test may be busy.
const limitMs = 30_000

/** What a page is looked at with. */
export type Look = {
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

/** A page and what went wrong on it so far. */
export type WatchedPage = {
  readonly page: Page
  /** Errors of the console and of scripts, answers of 400 and above, requests to other hosts. */
  readonly faults: string[]
  readonly close: () => Promise<void>
}

/** Opens a page that has nothing in its cache. */
export async function watchedPage(
  browser: Browser,
  origin: string,
  { width, scheme }: Look,
): Promise<WatchedPage> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    // What axe brings in is no script of the page's own; the policy itself is tested by its header.
    bypassCSP: false,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(limitMs)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      faults.push(`foreign: ${url.href}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  return { page, faults, close: () => context.close() }
}

/** Goes to a place of the explorer and waits until nothing on it is still loading. */
export async function visit(page: Page, origin: string, place: string): Promise<void> {
  const target = `${origin}/${place}`
  // A change of the part after `#` alone loads nothing: the page moves as by a link.
  if (page.url().startsWith(`${origin}/`)) {
    await page.evaluate((hash) => {
      location.hash = hash
    }, place)
  } else await page.goto(target)
  await settled(page)
}

/** Waits until the page shows what it asked for. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('#main h1')
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('#main [aria-busy]') === null)
}

/** What axe has against the page, one line a rule with the first place that breaks it. */
export async function axeFaults(page: Page): Promise<string[]> {
  // By the debugger, which no policy of the page forbids.
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- axe puts itself there
    const { axe } = globalThis as unknown as {
      axe: {
        run: (
          where: Document,
          options: object,
        ) => Promise<{
          violations: { id: string; nodes: { html: string; any: { message: string }[] }[] }[]
        }>
      }
    }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => {
      const [first] = nodes
      return `axe ${id}: ${nodes.length} × ${first?.html.slice(0, 160)} ${first?.any[0]?.message ?? ''}`
    })
  })
}

/** Elements that make the page wider than its window; empty where none does. */
export function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    return [...document.querySelectorAll('body *')]
      .filter((one) => one.getBoundingClientRect().right > width + 1)
      .filter((one) => one.closest('.scroll, .tabs, .menu, pre, .chart, .operations') === null)
      .slice(0, 3)
      .map((one) => `wider than the window: ${one.outerHTML.slice(0, 120)}`)
      .concat(`page is ${document.documentElement.scrollWidth} wide`)
  })
}
