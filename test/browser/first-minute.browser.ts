/**
 * The first minute of who starts the demo in an empty folder and opens the page at once: the page follows what comes,
 * shows no number that is false, and its menu does not grow below the pointer.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'

import { entry, follow, freshFolder, untilDemoServed } from '../support/processes/firn-process.ts'
import { chromiumProgram, openChromium } from './chromium.ts'
import { watchedPage } from './watched-page.ts'

const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false

/** Every text that a part of the page ever had, in order. */
type Seen = Readonly<Record<'menu' | 'numbers' | 'empty', readonly string[]>>

void test('first minute in an empty folder', { skip }, async (t) => {
  const words = [entry, 'start', '--port', '0', '--node-port', '0']
  const firn = await follow(
    t,
    spawn(process.execPath, [...words, '--data-dir', await freshFolder(t)]),
  )
  const browser = await openChromium(program ?? '')
  t.after(() => browser.close())
  const look = { width: 1280, scheme: 'light' } as const
  const { page, faults } = await watchedPage(browser, firn.apiUrl, look)
  await page.addInitScript(() => {
    const seen: Record<string, string[]> = { menu: [], numbers: [], empty: [] }
    Object.assign(globalThis, { seen })
    const note = (name: string, text: string): void => {
      if (text !== '' && seen[name]?.at(-1) !== text) seen[name]?.push(text)
    }
    const textOf = (one: Element): string => one.textContent.replaceAll(/\s+/g, ' ').trim()
    new MutationObserver(() => {
      note('menu', [...document.querySelectorAll('.menu a')].map(textOf).join())
      for (const one of document.querySelectorAll('#main .numbers > div'))
        note('numbers', textOf(one))
      // Messages are in blocks that come later: that there is none yet is true.
      for (const one of document.querySelectorAll(
        '#main section:not(:has(a[href="/messages"])) .empty',
      ))
        note('empty', textOf(one))
    }).observe(document, { childList: true, characterData: true, subtree: true })
  })
  await page.goto(`${firn.apiUrl}/`)
  await untilDemoServed(firn)
  // Everything is there soon after the server has it, and no page was loaded anew.
  const rows = (title: string): Promise<unknown> =>
    page
      .locator('section', { hasText: title })
      .locator('tbody tr')
      .first()
      .waitFor({ timeout: 10_000 })
  await Promise.all(['Latest subnets and L1s', 'Latest transactions'].map(rows))
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('#main .numbers dd')].some((one) => one.textContent !== '–') &&
      document.querySelectorAll('#main .chart').length > 0,
    undefined,
    { timeout: 10_000 },
  )
  const seen = await page.evaluate(() => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script above puts it there
    const { seen: all } = globalThis as unknown as { seen: Seen }
    return all
  })
  const menu = [
    'Home',
    'Primary network',
    'Staking',
    'L1s',
    'Messages',
    'Metrics',
    'API',
    'Try Firn',
  ].join()
  // Without a status, and with the first one.
  assert.ok(seen.menu.length <= 2, seen.menu.join('\n'))
  assert.equal(seen.menu.at(-1), menu)
  const zero = /^(?:Total stake|Validators|L1s · their validators|Transactions, last 24 h)0\b/
  assert.deepEqual(
    seen.numbers.filter((text) => zero.test(text)),
    [],
  )
  assert.deepEqual(
    seen.empty.filter((text) => text === 'No entries.'),
    [],
  )
  assert.deepEqual(faults, [])
})
