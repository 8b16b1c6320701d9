/** A signed transaction is handed in on the page of its chain, waits there, and is followed into its block. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { privateKeyToAccount } from 'viem/accounts'

import { liveChain } from '../support/chains/live-chain.ts'
import { freshFolder, startFirn, untilLive } from '../support/processes/firn-process.ts'
import { chromiumProgram, openChromium } from './chromium.ts'

const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false
/** Key of the first account. Source: anvil's own mnemonic. */
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

void test(
  'broadcast: a transaction is handed in, waits, and is in a block',
  { skip },
  async (t) => {
    const chain = await liveChain(t, ['--no-mining'])
    const folder = await freshFolder(t)
    const config = join(folder, 'firn.yaml')
    await writeFile(
      config,
      `dataDir: ${join(folder, 'data')}
chains: [{ name: Live, rpcUrls: ['${chain.url}'], begin: anew, publicRpc: send }]
`,
    )
    const firn = await startFirn(t, ['--config', config])
    await untilLive(firn, ['fuji-live'])
    const browser = await openChromium(program ?? '')
    t.after(() => browser.close())
    const page = await browser.newPage()
    await page.goto(`${firn.apiUrl}/chain/31337`)
    await page.click('text=Broadcast a signed transaction')
    await page.fill('input[name=raw]', '0x1234')
    await page.click('button.send')
    await page.waitForFunction(() => document.querySelector('output')?.textContent !== '')
    const raw = await privateKeyToAccount(key).signTransaction({
      chainId: 31_337,
      type: 'eip1559',
      to: '0x00000000000000000000000000000000000000aa',
      value: 1_500_000_000_000_000_000n,
      gas: 21_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
    await page.fill('input[name=raw]', raw)
    await page.click('button.send')
    await page.waitForURL(/\/chain\/31337\/tx\/0x[0-9a-f]{64}$/)
    await page.locator('.pill', { hasText: 'pending' }).waitFor()
    await page.locator('.facts', { hasText: 'none yet' }).waitFor()
    await chain.ask('evm_mine')
    await page.locator('.pill', { hasText: 'success' }).waitFor()
    await page.locator('.pill', { hasText: 'pending' }).waitFor({ state: 'detached' })
    // What it changed, as the node tells it.
    await page.getByRole('button', { name: 'Show state changes' }).click()
    const changes = page.locator('section', { hasText: 'State changes' }).locator('tbody tr')
    await changes.filter({ hasText: '+1.5' }).waitFor()
    assert.match(await changes.filter({ hasText: 'Nonce' }).innerText(), /Nonce\t0\t1$/)
    // A Firn of one chain has that chain's menu.
    assert.deepEqual(await page.locator('nav.menu a').allInnerTexts(), [
      'Home',
      'Blocks',
      'Transactions',
      'Tokens',
      'NFTs',
      'Contracts',
      'Gas',
      'Metrics',
      'API',
    ])
    await page.locator('nav.menu a', { hasText: 'Gas' }).click()
    await page.locator('nav.menu a[aria-current=page]', { hasText: 'Gas' }).waitFor()
  },
)
