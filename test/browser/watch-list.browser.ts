/** A visitor watches an address: its note and its newest transaction on the first page, and a notification of the next one. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'

import { entry, follow, freshFolder, until } from '../support/processes/firn-process.ts'
import { chromiumProgram, openChromium } from './chromium.ts'
import { watchedPage } from './watched-page.ts'

const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false
const trader = '/chain/51001/address/0x2f5610c3583353fd58C530927A7388c7A896f6e8'

void test('an address is watched', { skip }, async (t) => {
  // The newest blocks of the demo come one a second.
  const words = [entry, 'start', '--port', '0', '--node-port', '0']
  const folder = await freshFolder(t)
  const firn = await follow(t, spawn(process.execPath, [...words, '--data-dir', folder]))
  await until('the address', async () => (await fetch(`${firn.apiUrl}${trader}`)).status === 200)
  const browser = await openChromium(program ?? '')
  t.after(() => browser.close())
  const look = { width: 1280, scheme: 'light' } as const
  const { page, faults } = await watchedPage(browser, firn.apiUrl, look)
  await page.context().grantPermissions(['notifications'], { origin: firn.apiUrl })
  await page.addInitScript(() => {
    const shown: string[] = []
    const RecordedNotification = class extends EventTarget {
      static readonly permission = 'granted'
      constructor(title: string, { body }: { readonly body: string }) {
        super()
        shown.push(`${title}: ${body}`)
      }
    }
    Object.assign(globalThis, { shown, Notification: RecordedNotification })
  })
  await page.goto(`${firn.apiUrl}${trader}`)
  await page.getByRole('button', { name: 'Watch' }).click()
  await page.getByLabel('private note').fill('My trader')
  await page.goto(`${firn.apiUrl}/`)
  const card = page.locator('section', { hasText: 'Watched addresses' })
  await card.locator('td', { hasText: 'My trader' }).waitFor()
  await card.locator('a[href*="/tx/0x"]').waitFor()
  await page.waitForFunction(() => Reflect.get(globalThis, 'shown').length > 0, undefined, {
    timeout: 120_000,
  })
  const [shown] = await page.evaluate<string[]>(() => Reflect.get(globalThis, 'shown'))
  assert.match(shown ?? '', /^My trader: \S+ \S+/)
  await page.goto(`${firn.apiUrl}${trader}`)
  await page.getByRole('button', { name: 'Stop watching' }).click()
  await page.goto(`${firn.apiUrl}/`)
  await page.locator('.numbers dd').first().waitFor()
  assert.equal(await card.count(), 0)
  assert.deepEqual(faults, [])
})
