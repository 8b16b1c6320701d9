/**
 * Time until the overview is seen, beside a static page of the same bytes: the explorer's drawing,
 * written down, with the same styles, and the same scripts loaded but not run.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Browser } from 'playwright-core'

import { settled, watchedPage } from './watched-page.ts'

/** Milliseconds, medians over all loads; bytes are those of bodies as they were sent. */
export type FirstPaint = {
  readonly overviewMs: number
  readonly staticMs: number
  readonly bytes: number
}

/** Loads both by turns, each time with an empty cache. */
export async function measureFirstPaint(
  browser: Browser,
  origin: string,
  loads: number,
): Promise<FirstPaint> {
  const copy = await staticCopy(browser, origin)
  const server = createServer((request, response) => {
    const found = copy.files.get(request.url ?? '')
    response.writeHead(found === undefined ? 404 : 200, found?.headers)
    response.end(found?.body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo
  const overview: number[] = []
  const still: number[] = []
  for (let load = 0; load < loads; load++) {
    overview.push(await firstPaint(browser, `${origin}/`))
    still.push(await firstPaint(browser, `http://127.0.0.1:${port}/`))
  }
  server.close()
  return { overviewMs: median(overview), staticMs: median(still), bytes: copy.bytes }
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' })
  const ms = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          for (const entry of list.getEntriesByName('first-contentful-paint'))
            resolve(entry.startTime)
        }).observe({ type: 'paint', buffered: true })
      }),
  )
  await context.close()
  return ms
}

type Copy = {
  readonly bytes: number
  readonly files: ReadonlyMap<
    string,
    { readonly body: Buffer; readonly headers: Readonly<Record<string, string>> }
  >
}

/** The overview as it is once drawn; scripts become files to load ahead. */
async function staticCopy(browser: Browser, origin: string): Promise<Copy> {
  const { page, close } = await watchedPage(browser, origin, { width: 1280, scheme: 'light' })
  const files = new Map<string, { body: Buffer; headers: Record<string, string> }>()
  let bytes = 0
  await page.goto(`${origin}/`)
  await settled(page)
  const html = await page.evaluate(() => {
    for (const script of document.querySelectorAll('script')) {
      const link = document.createElement('link')
      link.rel = 'preload'
      link.as = 'script'
      link.href = script.src
      script.replaceWith(link)
    }
    for (const link of document.querySelectorAll('link[rel=modulepreload]')) link.remove()
    return `<!doctype html>${document.documentElement.outerHTML}`
  })
  const names = [...html.matchAll(/(?:src|href)="(?:http:\/\/[^/"]+)?(\/explorer\/[^"]+)"/g)]
  for (const name of new Set(names.map(([, path = '']) => path))) {
    const reply = await fetch(`${origin}${name}`)
    const body = Buffer.from(await reply.arrayBuffer())
    bytes += body.length
    files.set(name, { body, headers: { 'content-type': reply.headers.get('content-type') ?? '' } })
  }
  const body = Buffer.from(html.replaceAll(origin, ''))
  files.set('/', { body, headers: { 'content-type': 'text/html; charset=utf-8' } })
  await close()
  return { bytes: bytes + body.length, files }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
