/** What the explorer tells: names, stages, pictures and lists of who did most, each held to the API. */

import assert from 'node:assert/strict'

import type { Journey } from './journeys.ts'
import { cast } from './places.ts'
import { settled, visit } from './watched-page.ts'

const id = (role: string): string => cast[role] ?? assert.fail(`the demo has a ${role}`)

async function answerOf<T>(origin: string, path: string): Promise<T> {
  const reply = await fetch(`${origin}${path}`)
  assert.equal(reply.status, 200, path)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is wrong in it fails the journey
  return (await reply.json()) as T
}

/** Journeys by what they show. */
export const stories: Readonly<Record<string, Journey>> = {
  'a label, a verified contract and an NFT are found by their names': async (page) => {
    for (const [typed, option, place] of [
      ['traveller', 'Traveller', '/address/'],
      ['tokenmaker', 'TokenMaker', '/address/'],
      ['summit views 7', 'Summit Views', '/nft/'],
      // Its collection has another name.
      ['badge 1', 'Badge 1', '/nft/'],
    ] as const) {
      await page.goto(page.url().replace(/(\/\/[^/]+\/).*/, '$1'))
      await settled(page)
      await page.keyboard.press('/')
      await page.keyboard.type(typed)
      const found = page.locator('#found [role=option]', { hasText: option })
      await found.first().waitFor()
      await found.first().click()
      await page.waitForFunction((part) => location.pathname.includes(part), place)
      await settled(page)
    }
  },
  'a token begins with its figures': async (page, origin) => {
    const address = id('Summit.token')
    await visit(page, origin, `/chain/51001/address/${address}`)
    const { transfers } = await answerOf<{
      transfers: readonly { from: { address: string }; to: { address: string } }[]
    }>(origin, `/v1/chains/51001/tokens/${address}/transfers?pageSize=100`)
    const holders = new Set(transfers.flatMap(({ from, to }) => [from.address, to.address]))
    holders.delete(`0x${'0'.repeat(40)}`)
    assert.deepEqual(
      (await page.locator('dl.numbers dd').allInnerTexts()).slice(-2),
      [holders.size, transfers.length].map(String),
    )
  },
  'transfers of all standards are one list, each item a link': async (page, origin) => {
    const address = id('collector')
    await visit(page, origin, `/chain/51001/address/${address}/token-transfers`)
    const { transfers } = await answerOf<{ transfers: readonly { txHash: string }[] }>(
      origin,
      `/v1/chains/51001/addresses/${address}/transfers?pageSize=25`,
    )
    const rows = page.locator('#main tbody tr')
    assert.equal(await rows.count(), transfers.length)
    const text = await page.locator('#main tbody').innerText()
    assert.match(text, /SUMM 0x/)
    assert.match(text, /Badge 1 0x/)
    await page.locator('#main tbody a[href*="/nft/"]').first().click()
    await page.waitForFunction(() => location.pathname.includes('/nft/'))
  },
  'a block of the C-Chain names its proposer, an L1’s has none': async (page, origin) => {
    const block = await answerOf<{
      blockSizeBytes: number
      proposerDetails: { proposerNodeId: string }
    }>(origin, '/v1/networks/fuji/blockchains/c-chain/blocks/40')
    await visit(page, origin, '/chain/43112/block/40')
    const text = await page.locator('#main').innerText()
    assert.ok(text.includes(block.proposerDetails.proposerNodeId))
    assert.ok(text.includes(`${block.blockSizeBytes} bytes`))
    await visit(page, origin, '/chain/43112')
    const row = page.locator('#main tr', { has: page.locator('a[href$="/block/40"]') })
    assert.match(await row.innerText(), /NodeID-/)
    await visit(page, origin, '/chain/51001')
    assert.doesNotMatch(await page.locator('#main table').innerText(), /Proposer|NodeID-/)
  },
  'amounts in events of a contract are in tokens and coins, raw when pointed at': async (
    page,
    origin,
  ) => {
    const event = encodeURIComponent('Traded(address,bool,uint256,uint256)')
    await visit(page, origin, `/chain/51001/address/${id('Summit.exchange')}/events?event=${event}`)
    const row = page.locator('#main tbody tr').first()
    assert.match(await row.innerText(), /tokens: 10 GLC\s+coins: 0\.4 SUM/)
    assert.equal(await row.getByTitle('10000000000000000000', { exact: true }).count(), 1)
  },
  'coins of an address are drawn from its first transaction, without a node': async (
    page,
    origin,
  ) => {
    const path = `/v1/chains/51001/addresses/${id('trader')}`
    const { transactions } = await answerOf<{
      transactions: readonly [{ nativeTransaction: { value: string } }]
    }>(origin, `${path}/transactions?sortOrder=asc&pageSize=1`)
    const { nativeTokenBalance } = await answerOf<{ nativeTokenBalance: { balance: string } }>(
      origin,
      `${path}/balances:getNative`,
    )
    await visit(page, origin, `/chain/51001/address/${id('trader')}`)
    await page.getByRole('button', { name: 'Show balance over time' }).click()
    await page.locator('.points summary').click()
    await page.locator('.points tbody tr').nth(10).waitFor()
    const values = await page.locator('.points tbody tr td:last-child').allInnerTexts()
    const coins = (wei: string): number => Number((Number(wei) / 1e18).toPrecision(9))
    const drawn = values.map((text) => Number(text.replaceAll(',', '')))
    assert.equal(drawn[0], coins(nativeTokenBalance.balance))
    assert.equal(drawn.at(-1), coins(transactions[0].nativeTransaction.value))
  },
  'an item has its traits as tiles, a fee its value': async (page, origin) => {
    const nft = `${id('Summit.pictures')}/7`
    await visit(page, origin, `/chain/51001/nft/${nft}`)
    const { metadata } = await answerOf<{ metadata: { attributes: string } }>(
      origin,
      `/v1/chains/51001/nfts/collections/${nft.replace('/', '/tokens/')}`,
    )
    const [trait] = JSON.parse(metadata.attributes) as { trait_type: string; value: string }[]
    assert.deepEqual(await page.locator('.traits div').allInnerTexts(), [
      `${trait?.trait_type}\n${trait?.value}`,
    ])
    await visit(page, origin, `/chain/51001/tx/${id('tx transfer')}`)
    const { networkTokenDetails: coin, nativeTransaction: tx } = await answerOf<{
      networkTokenDetails: Record<string, { value: string }>
      nativeTransaction: { gasUsed: string; gasPrice: string }
    }>(origin, `/v1/chains/51001/transactions/${id('tx transfer')}`)
    const price = Number((coin['historicalPrice'] ?? coin['currentPrice'])?.value)
    const worth = (Number(tx.gasUsed) * Number(tx.gasPrice) * price) / 1e18
    const fee = page.locator('.facts div', { hasText: 'Transaction fee' })
    assert.ok((await fee.innerText()).endsWith(`${Number(worth.toPrecision(3))} USD`))
  },
  'gas prices are shown for slow, normal and fast, with their value in money': async (
    page,
    origin,
  ) => {
    await visit(page, origin, '/chain/51001/gas')
    const { result } = await answerOf<{ result: Record<string, string> }>(
      origin,
      '/v1/chains/51001/api?module=gastracker&action=gasoracle',
    )
    const rows = page.locator('tbody tr', { hasText: 'Native transfer' })
    await rows.getByText('USD').first().waitFor()
    const cells = await rows.locator('td').allInnerTexts()
    const { networkTokenDetails } = await answerOf<{
      networkTokenDetails: { currentPrice: { value: string } }
    }>(origin, `/v1/chains/51001/transactions/${id('tx transfer')}`)
    const worth =
      Number(result['FastGasPrice']) * 21e-6 * Number(networkTokenDetails.currentPrice.value)
    assert.equal(cells.length, 5)
    assert.match(
      cells[4] ?? '',
      new RegExp(`${String(worth.toPrecision(3)).replace('.', '\\.')} USD$`),
    )
  },
  'methods come with the words of their authors': async (page, origin) => {
    // Contracts of the demo have no comments for users; the form is that of a compiler.
    const methods = {
      'balanceOf(address)': {
        details: 'Never fails',
        params: { '': 'Whose' },
        returns: { _0: 'all' },
      },
    }
    await page.route('**/v2/contract/51001/**', (route) =>
      route.fulfill({
        json: {
          userdoc: { methods: { 'symbol()': { notice: 'Its <b>sign</b>' } } },
          devdoc: { methods },
        },
      }),
    )
    await visit(page, origin, `/chain/51001/address/${id('Summit.token')}/read`)
    await page.locator('.facts dd', { hasText: 'Its <b>sign</b>' }).waitFor()
    await page.locator('.call summary', { hasText: 'balanceOf' }).click()
    const method = page.locator('.call[open]')
    assert.deepEqual(await method.locator('p').allInnerTexts(), ['Never fails', 'Returns: all'])
    assert.match(await method.locator('.field').innerText(), /Whose$/)
  },
  'bars of a small chart stand apart': async (page, origin) => {
    await visit(page, origin, '/metrics/51003')
    const chart = page.locator('section', { hasText: 'Gas price, average' })
    await chart.scrollIntoViewIfNeeded()
    const bars = await chart.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
      const row = canvas.getContext('2d')?.getImageData(0, canvas.height * 0.7, canvas.width, 1)
      const isInk = [...(row?.data ?? [])].filter((_, at) => at % 4 === 3).map((each) => each > 100)
      return isInk.filter((each, at) => each && isInk[at - 1] === false).length
    })
    assert.ok(bars > 80, `${bars} of 90`)
  },
  'two chains are compared': async (page, origin) => {
    await visit(page, origin, '/metrics/51003/day/txCount')
    await page.getByLabel('compare with').selectOption({ label: 'Summit' })
    await page.waitForFunction(() => location.search.includes('with=51001'))
    await settled(page)
    assert.deepEqual(await page.locator('.legend li').allInnerTexts(), ['Meridian', 'Summit'])
    await page.locator('.points summary').click()
    await page.locator('.points tbody tr').first().waitFor()
    const rows = await page.locator('.points tbody tr').allInnerTexts()
    const { results } = await answerOf<{ results: [{ value: number }] }>(
      origin,
      '/v2/chains/51001/metrics/txCount?pageSize=1',
    )
    const value = String(results[0].value)
    assert.ok(
      rows.some((text) => text.split('\t').at(-1) === value),
      rows.join('\n'),
    )
  },
  'the console begins with subjects and a search, an operation with its sentence': async (
    page,
    origin,
  ) => {
    const { paths, tags } = await answerOf<{
      paths: Record<string, Record<string, { tags: string[]; summary: string }>>
      tags: readonly { name: string }[]
    }>(origin, '/openapi.json')
    const all = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ summary }) => !summary.startsWith('Older name'))
    const used = new Set(all.map((one) => one.tags[0]))
    await visit(page, origin, '/api')
    const list = page.locator('.operations')
    assert.deepEqual(
      await list.locator('h2').allInnerTexts(),
      tags.map(({ name }) => name).filter((name) => used.has(name)),
    )
    assert.equal(await list.locator('li').count(), all.length)
    await list.locator('input').fill('holders nft')
    await page.waitForFunction(() => document.querySelectorAll('.operations li').length < 9)
    await list.locator('li a').first().click()
    await page.waitForFunction(() => location.pathname.startsWith('/api/'))
    await settled(page)
    assert.match(await page.locator('h1').innerText(), /hold/i)
    await page.getByRole('button', { name: 'Send' }).waitFor()
  },
  'who was most active stands first, with its share of all': async (page, origin) => {
    await visit(page, origin, '/chain/51001')
    await page.locator('.tabs a', { hasText: 'Most active' }).click()
    await page.getByRole('link', { name: 'Called contracts' }).click()
    await page.getByRole('link', { name: 'Month' }).click()
    await page.waitForFunction(() => location.search.includes('period=month'))
    await settled(page)
    const path = '/v1/chains/51001/calledContracts?timeInterval=month&pageSize=100'
    const { addresses: all, transactionCount } = await answerOf<{
      addresses: readonly { label?: string; transactionCount: number }[]
      transactionCount: number
    }>(origin, path)
    const rows = await page.locator('tbody tr').allInnerTexts()
    assert.equal(rows.length, all.length)
    for (const [at, one] of all.entries()) {
      const [name = '', count] = rows[at]?.split('\t') ?? []
      assert.equal(count, String(one.transactionCount))
      if (one.label !== undefined) assert.ok(name.startsWith(one.label), name)
    }
    const share = ((all[0]?.transactionCount ?? 0) / transactionCount) * 100
    assert.ok(rows[0]?.includes(`${share.toFixed(2).replace(/\.?0+$/, '')} %`), rows.join('\n'))
  },
  'a message has its sentence and its steps, with how long they took': async (page, origin) => {
    await visit(page, origin, `/message/${id('deliveredMessage')}`)
    await settled(page)
    assert.match(await page.locator('.said').innerText(), /^Trader bridged 125 GLC to Traveller/)
    const steps = await page.locator('.stages li').allInnerTexts()
    assert.deepEqual(
      steps.map((text) => text.split('\n')[0]),
      ['Sent', 'Delivered', 'Executed', 'Receipt'],
    )
    assert.match(steps[1] ?? '', /2 s later/)
    assert.equal(await page.locator('.stages .done').count(), 4)
    await visit(page, origin, `/message/${id('waitingMessage')}`)
    await settled(page)
    assert.equal(await page.locator('.stages .done').count(), 1)
  },
  "an address's funds are drawn, and stand in a table": async (page, origin) => {
    await visit(page, origin, `/primary/fuji/address/${id('owner')}`)
    await page.getByRole('button', { name: 'Show flow of funds' }).click()
    await page.locator('svg.sankey').waitFor()
    const flow = page.locator('section', { has: page.locator('svg.sankey') })
    await flow.locator('details summary').click()
    await flow.locator('tbody tr').first().waitFor()
    const rows = await flow.locator('tbody tr').count()
    assert.ok(rows > 8, String(rows))
    assert.equal(await page.locator('.sankey path').count(), rows)
    await page.locator('.qr summary').click()
    await page.locator('.qr svg').waitFor()
    assert.equal(await page.locator('.qr svg').count(), 1)
  },
  "an L1 validator's balance is shown from its first day on": async (page, origin) => {
    const validation = id('seat disabled')
    await visit(page, origin, `/primary/fuji/validation/${validation}`)
    await settled(page)
    const path = `/v1/networks/fuji/l1Validators/${validation}/changes?pageSize=100`
    const { changes } = await answerOf<{ changes: readonly unknown[] }>(origin, path)
    const rows = page.locator('section', { hasText: 'Top-ups and weight' }).locator('tbody tr')
    assert.equal(await rows.count(), changes.length)
    assert.match(await rows.last().innerText(), /^created/)
    assert.match(await rows.first().innerText(), /^(disabled|removed)/)
    await page.locator('.chart canvas').waitFor()
  },
}
