/**
 * The explorer in a real Chromium: `npm run test:browser`.
 *
 * One start of the demo network; every page at two widths and in two themes; journeys; how soon the
 * overview is seen. With `TEST_SCREENSHOTS=1` the pictures of README and guides are written anew.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import type { Browser } from 'playwright-core'

import {
  demoFolder,
  startDemo,
  untilDemoServed,
  type RunningFirn,
} from '../support/processes/firn-process.ts'
import { chromiumProgram, openChromium } from './chromium.ts'
import { crawl } from './crawl.ts'
import { measureFirstPaint } from './first-paint.ts'
import { journeys } from './journeys.ts'
import { kindsOfPages, pictures, seeds } from './places.ts'
import { stories } from './stories.ts'
import { tasks } from './tasks.ts'
import { axeFaults, overflow, settled, visit, watchedPage } from './watched-page.ts'

const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false
const desk = { width: 1280, scheme: 'light' } as const

void test('explorer in Chromium', { skip }, async (t) => {
  const firn: RunningFirn = await startDemo(t, await demoFolder(t))
  const origin = firn.apiUrl
  const browser: Browser = await openChromium(program ?? '')
  t.after(() => browser.close())
  await untilDemoServed(firn)

  // Both at once: each waits for its own page most of the time.
  const widths = [1440, 390]
  const found = widths.map((width) => crawl(browser, origin, { width, seeds, perKind: 1 }))
  for (const [at, width] of widths.entries()) {
    await t.test(`every page at ${width} px, light and dark: no fault`, async () => {
      const { kinds, faults } = (await found[at]) ?? assert.fail('there is one for each')
      assert.equal(faults.join('\n'), '')
      assert.deepEqual(
        kindsOfPages.filter((kind) => !kinds.has(kind)),
        [],
        'every kind of page was visited',
      )
    })
  }

  for (const width of [1280, 390]) {
    await t.test(`documentation and operator's page at ${width} px: no fault`, async () => {
      const wrong: string[] = []
      for (const url of [
        `${origin}/docs`,
        `${origin}/docs/guide/operating`,
        `${origin}/docs/reference/settings`,
        `${firn.nodeUrl}/ext/firn`,
      ]) {
        const look = { width, scheme: 'light' } as const
        const { page, faults, close } = await watchedPage(browser, new URL(url).origin, look)
        await page.goto(url)
        const all = [...faults, ...(await overflow(page)), ...(await axeFaults(page))]
        wrong.push(...all.map((one) => `${width} ${url}: ${one}`))
        await close()
      }
      assert.equal(wrong.join('\n'), '')
    })
  }

  for (const [name, journey] of Object.entries({ ...journeys, ...tasks, ...stories })) {
    await t.test(name, async () => {
      const { page, faults, close } = await watchedPage(browser, origin, desk)
      await page.goto(`${origin}/`)
      await settled(page)
      await journey(page, origin, faults)
      assert.deepEqual(faults, [])
      await close()
    })
  }

  await t.test('the overview is seen soon', async (one) => {
    const { overviewMs, staticMs, bytes } = await measureFirstPaint(browser, origin, 20)
    one.diagnostic(
      `first contentful paint: ${overviewMs.toFixed(0)} ms, static page of the same ${bytes} bytes: ${staticMs.toFixed(0)} ms`,
    )
    assert.ok(overviewMs < Math.max(150, 2 * staticMs), `${overviewMs} ms and ${staticMs} ms`)
  })

  await t.test('a first visit loads at most 120 kB', async (one) => {
    const { page, close } = await watchedPage(browser, origin, desk)
    const session = await page.context().newCDPSession(page)
    let bytes = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await session.send('Network.enable')
    await page.goto(`${origin}/`)
    await settled(page)
    one.diagnostic(`first visit: ${bytes} bytes, heads included`)
    assert.ok(bytes > 60_000 && bytes <= 120_000, `${bytes} bytes`)
    await close()
  })

  await t.test('pictures of README and guides', async () => {
    const { page, close } = await watchedPage(browser, origin, desk)
    for (const [name, place] of pictures) {
      await visit(page, origin, place)
      const path = fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url))
      const written = process.env['TEST_SCREENSHOTS'] === '1' ? { path } : {}
      const picture = await page.screenshot(written)
      assert.ok(picture.length > 10_000, name)
    }
    await close()
  })
})
