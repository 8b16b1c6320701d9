/** A page of the explorer that notes what must not happen on any: errors, requests to elsewhere. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import type { Browser, BrowserContext, Page, Request } from 'playwright-core'

import { mostAttempts } from '../../src/explorer/browser/kit/patient-fetch.ts'

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

// Machines that test may be busy.
const limitMs = 30_000
/** A page that asks nothing for so long has drawn what it has. */
const quietMs = 60
const lookEveryMs = 15

/** Width and theme with which a page is looked at. */
export type Look = {
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

/** A page and what went wrong on it so far. */
export type WatchedPage = {
  readonly page: Page
  /**
   * Errors of the console and of scripts, answers of 400 and above, requests to other hosts. That a
   * busy server refused something (503) is a fault once the explorer no longer asks for it.
   */
  readonly faults: string[]
  readonly close: () => Promise<void>
}

/** Requests of a page that wait for their answers. */
type PageRequests = {
  readonly open: Set<Request>
  /** Refusals one after the other of what the explorer will ask for again. */
  readonly refused: Map<string, { readonly times: number; readonly at: number }>
}
const requestsOf = new WeakMap<Page, PageRequests>()

/** Longest pause of the explorer before it asks again; what is older is no longer wanted. */
const repeatMs = 5_000

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
    // Answers are looked at below.
    if (/server responded with a status of 503/.test(message.text())) return
    if (message.type() === 'error' || message.type() === 'warning')
      faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  const open = new Set<Request>()
  const refused: PageRequests['refused'] = new Map()
  requestsOf.set(page, { open, refused })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('request', (request) => {
    // A stream of events never ends.
    if (request.resourceType() !== 'eventsource') open.add(request)
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      faults.push(`foreign: ${url.href}`)
  })
  page.on('response', (response) => {
    const [status, url] = [response.status(), response.url()]
    const times = 1 + (refused.get(url)?.times ?? 0)
    if (status === 503 && times < mostAttempts) refused.set(url, { times, at: performance.now() })
    else refused.delete(url)
    if (status >= 400 && !refused.has(url)) faults.push(`${status} ${url}`)
  })
  return { page, faults, close: () => context.close() }
}

/** Goes to a place of the explorer and waits until nothing on it is still loading. */
export async function visit(page: Page, origin: string, place: string): Promise<void> {
  const target = origin + place
  // Nothing is loaded: the page moves as by a link.
  if (page.url().startsWith(`${origin}/`)) {
    await page.evaluate(
      (path) =>
        new Promise<void>((resolve) => {
          if (location.pathname + location.search === path) return resolve()
          addEventListener('popstate', () => requestAnimationFrame(() => resolve()), { once: true })
          history.pushState(null, '', path)
          dispatchEvent(new PopStateEvent('popstate'))
        }),
      place,
    )
  } else await page.goto(target)
  await settled(page)
}

/** Waits until the page shows what it requested. */
export async function settled(page: Page): Promise<void> {
  const { open, refused } = requestsOf.get(page) ?? assert.fail('the page is not watched')
  await page.waitForSelector('#main h1')
  const deadline = performance.now() + limitMs
  let quietSince = performance.now()
  while (performance.now() - quietSince < quietMs) {
    await pause(lookEveryMs)
    const isBusy = await page.evaluate(() => document.querySelector('#main [aria-busy]') !== null)
    const isRefused = [...refused.values()].some(({ at }) => performance.now() - at < repeatMs)
    if (open.size > 0 || isBusy || isRefused) quietSince = performance.now()
    if (performance.now() > deadline)
      throw new Error(`still loading: ${[...open].map((one) => one.url()).join()}`)
  }
}

/** Complaints of axe about the page, one line a rule with the first place that breaks it. */
export async function axeFaults(page: Page): Promise<string[]> {
  // By the debugger, which no policy of the page forbids.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
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
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      // Targets of 24 px are of WCAG 2.2, whose rules axe leaves out by itself.
      rules: { 'target-size': { enabled: true } },
    })
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
