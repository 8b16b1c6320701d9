/** The explorer of a Firn that serves one chain, as its operator calls it: that chain's own pages, and nothing of others. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { freshFolder, startFirn, untilLive } from '../support/processes/firn-process.ts'
import { chromiumProgram, openChromium } from './chromium.ts'
import { axeFaults, overflow, visit, watchedPage } from './watched-page.ts'

const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false

void test('explorer of one chain', { skip }, async (t) => {
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.json')
  const recording = fileURLToPath(new URL('../../demo/summit.firnrec', import.meta.url))
  const explorer = {
    title: 'Glacier Explorer',
    home: 'Glacier is an L1 for deliveries by sledge.',
    colour: '#aa3311',
    darkColour: '#ffb199',
    links: ['Bridge https://bridge.example'],
  }
  const chains = [{ name: 'Glacier', symbol: 'GLA', recording }]
  await writeFile(config, JSON.stringify({ chains, explorer }))
  const firn = await startFirn(t, ['--config', config, '--data-dir', join(folder, 'data')])
  await untilLive(firn, ['fuji-glacier'])
  const browser = await openChromium(program ?? '')
  t.after(() => browser.close())
  const wrong: string[] = []
  for (const [width, scheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    const { page, faults, close } = await watchedPage(browser, firn.apiUrl, { width, scheme })
    await visit(page, firn.apiUrl, '/')
    await page.getByText('in the last 24 h').first().waitFor()
    wrong.push(...faults, ...(await overflow(page)), ...(await axeFaults(page)))
    assert.deepEqual(await page.locator('.menu a').allInnerTexts(), [
      'Home',
      'Blocks',
      'Transactions',
      'Tokens',
      'NFTs',
      'Contracts',
      'Gas',
      'Metrics',
      'API',
      'Bridge',
    ])
    const text = await page.locator('#main').innerText()
    assert.match(text, /^Overview\s+Glacier Explorer/)
    assert.ok(text.includes(explorer.home))
    // Totals of the chain; no table of one chain, no bridge, no season, no messages.
    assert.match(text, /Transactions\n151\n151 in the last 24 h\nAddresses\n32/)
    assert.doesNotMatch(text, /Chains|Follow a transfer|[Mm]essages|L1s/)
    assert.doesNotMatch(await page.locator('thead').last().innerText(), /Chain/)
    await close()
  }
  assert.equal(wrong.join('\n'), '')
})
