/** What people come for, from the overview to the answer. */

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zstdDecompressSync } from 'node:zlib'

import type { Page } from 'playwright-core'

import { startFirn, untilLive } from '../support/processes/firn-process.ts'
import type { Journey } from './journeys.ts'
import { cast } from './places.ts'
import { settled, visit } from './watched-page.ts'

const id = (role: string): string => cast[role] ?? assert.fail(`the demo has a ${role}`)
const ofRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Clicks a link of the page and waits for where it leads. */
async function follow(page: Page, selector: string): Promise<void> {
  const before = page.url()
  await page.locator(selector).first().click()
  await page.waitForFunction((url) => location.href !== url, before)
  await settled(page)
}

/** Tasks by what they show. */
export const tasks: Readonly<Record<string, Journey>> = {
  'a token is found by a word of its name': async (page) => {
    await page.keyboard.press('/')
    await page.keyboard.type('dollar')
    const found = page.locator('#found [role=option]', { hasText: 'Demo Dollar' })
    await found.first().waitFor()
    await found.first().click()
    await page.waitForFunction(() => location.pathname.includes('/address/'))
    await settled(page)
    await page.locator('h1', { hasText: 'Demo Dollar' }).waitFor()
    assert.match(await page.locator('#main').innerText(), /Total supply/)
  },
  'transfers from an address to the market are listed with their times': async (page, origin) => {
    await visit(page, origin, `/chain/51001/address/${id('trader')}`)
    await page.locator('details.filters summary').click()
    await page.getByLabel('direction').selectOption('out')
    await page.getByLabel('counterparty address').fill(id('Summit.exchange'))
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForFunction(() => location.search.includes('direction=out'))
    await settled(page)
    const list = page.locator('table', { has: page.locator('th', { hasText: 'What happened' }) })
    const rows = list.locator('tbody tr')
    assert.ok((await rows.count()) > 0, 'the trader called the market')
    for (const text of await rows.allInnerTexts()) assert.match(text, /OUT[^]*Summit market/)
    await list.getByRole('button', { name: 'Age' }).click()
    assert.match((await rows.first().innerText()) ?? '', /\d{4}-\d\d-\d\d \d\d:\d\d/)
    await page.reload()
    await settled(page)
    assert.match((await rows.first().innerText()) ?? '', /\d{4}-\d\d-\d\d \d\d:\d\d/)
  },
  'a transfer over the bridge is followed over two chains': async (page, origin) => {
    const reply = await fetch(`${origin}/v1/icm/messages/${id('deliveredMessage')}`)
    const { sourceTransaction, destinationTransaction } = (await reply.json()) as Record<
      'sourceTransaction' | 'destinationTransaction',
      { txHash: string }
    >
    await visit(page, origin, `/chain/51001/tx/${sourceTransaction.txHash}`)
    assert.match(
      await page.locator('#main').innerText(),
      /bridged [\d.,]+ GLC to Traveller on Harbor/,
    )
    await follow(page, '#main a[href^="/message/"]')
    await follow(page, `#main a[href$="/tx/${destinationTransaction.txHash}"]`)
    assert.ok(page.url().includes('/chain/51002/'), page.url())
    const text = await page.locator('#main').innerText()
    assert.match(text, /delivered [\d.,]+ GLC\.h to Traveller from Summit/)
  },
  "who pays an L1's validators": async (page, origin) => {
    await follow(page, '.menu a[href^="/l1s"]')
    await follow(page, `#main a[href$="/subnet/${id('Summit.subnet')}"]`)
    const reply = await fetch(
      `${origin}/v1/networks/fuji/l1Validators?subnetId=${id('Summit.subnet')}&pageSize=1`,
    )
    const { validators } = (await reply.json()) as {
      validators: [{ nodeId: string; remainingBalanceOwner: { addresses: [string] } }]
    }
    const [{ nodeId, remainingBalanceOwner }] = validators
    const row = page.locator('#main tr', { has: page.locator(`a[href$="/node/${nodeId}"]`) })
    const [owner] = remainingBalanceOwner.addresses
    const link = row.locator(`a[href$="/address/${owner}"]`).first()
    await link.click()
    await page.waitForFunction((address) => location.pathname.endsWith(address), owner)
    await settled(page)
    assert.match(await page.locator('h1').innerText(), new RegExp(owner.slice(-6)))
  },
  'a conversion lists its validators with their balances, and their manager': async (
    page,
    origin,
  ) => {
    const read = async (path: string): Promise<Response> =>
      fetch(`${origin}/v1/networks/fuji/${path}`)
    const subnet = await read(`subnets/${id('Summit.subnet')}`)
    const { l1ConversionTransactionHash: hash } = (await subnet.json()) as Record<string, string>
    const transaction = await read(`blockchains/p-chain/transactions/${hash}`)
    const { l1ValidatorDetails, l1ValidatorManagerDetails } = (await transaction.json()) as {
      l1ValidatorDetails: { nodeId: string; remainingBalance: number }[]
      l1ValidatorManagerDetails: { contractAddress: string }
    }
    await visit(page, origin, `/primary/fuji/tx/p-chain/${hash}`)
    assert.ok(l1ValidatorDetails.length > 1)
    for (const { nodeId, remainingBalance } of l1ValidatorDetails) {
      const row = page.locator('#main tr', { has: page.locator(`a[href$="/node/${nodeId}"]`) })
      assert.match(await row.innerText(), new RegExp(`${remainingBalance / 1e9} AVAX$`))
    }
    await follow(page, `#main a[href$="/address/${l1ValidatorManagerDetails.contractAddress}"]`)
    assert.ok(page.url().includes('/chain/51001/'), page.url())
  },
  "a year's rewards are saved for the books": async (page, origin) => {
    await visit(page, origin, `/primary/fuji/address/${id('staker')}`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('a[aria-label="rewards as CSV"]'),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    const reply = await fetch(
      `${origin}/v1/networks/fuji/rewards?addresses=${id('staker')}&pageSize=100`,
    )
    const { historicalRewards } = (await reply.json()) as { historicalRewards: unknown[] }
    assert.ok(historicalRewards.length > 0)
    assert.equal(lines.length, 1 + historicalRewards.length)
    assert.match(lines[0] ?? '', /txHash/)
  },
  'a contract is verified by its sources, and read': async (page, _origin, faults) => {
    const ends: (() => Promise<void> | void)[] = []
    const folder = await mkdtemp(join(tmpdir(), 'firn-verify-'))
    try {
      // What npm's compiler says of itself.
      copyFileSync(
        ofRoot('node_modules/solc/soljson.js'),
        join(folder, 'soljson-v0.8.30+commit.73712a01.js'),
      )
      const recording = ofRoot('demo/summit.firnrec')
      const config = join(folder, 'firn.yaml')
      await writeFile(
        config,
        `chains: [{ name: Summit, recording: '${recording}' }]\ncontracts: { compilers: '${folder}' }\n`,
      )
      const t = { after: (end: () => Promise<void>) => void ends.unshift(end) }
      const firn = await startFirn(t, ['--config', config, '--data-dir', folder])
      await untilLive(firn, ['fuji-summit'])

      const address = id('Summit.stable')
      const known = zstdDecompressSync(readFileSync(ofRoot('demo/contracts.jsonl.zst')))
        .toString('utf8')
        .split('\n')
        .find((line) => line.includes(address) && line.includes('"chainId":51001'))
      const { body, name } = JSON.parse(known ?? assert.fail('the demo has its sources')) as {
        body: { input: object }
        name: string
      }
      await page.goto(`${firn.apiUrl}/chain/51001/address/${address}/code`)
      await settled(page)
      await page.fill('input[name=contract]', name)
      await page.setInputFiles('input[name=files]', {
        name: 'input.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(body.input)),
      })
      await page.click('form button[type=submit]:has-text("Verify")')
      await page.locator('.pill', { hasText: 'full match' }).waitFor({ timeout: 120_000 })
      await follow(page, '.segments a[href$="/read"]')
      // As the node gave it when it was recorded.
      const supply = page.locator('.facts div', { hasText: 'totalSupply' })
      await supply.locator('dd', { hasText: '50,000,000' }).waitFor()
      await page.goto('about:blank')
      const foreign = faults.splice(0).filter((one) => !one.startsWith(`foreign: ${firn.apiUrl}/`))
      faults.push(...foreign)
    } finally {
      // One after the other: a process ends before its folder goes.
      // oxlint-disable-next-line no-await-in-loop
      for (const end of ends) await end()
      await rm(folder, { recursive: true, force: true })
    }
  },
}
