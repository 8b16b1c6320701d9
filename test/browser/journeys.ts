/** Journeys of people in the explorer, step by step, with the keyboard where it matters. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { mostAttempts } from '../../src/explorer/browser/kit/patient-fetch.ts'
import { openReplayNode, serveReplayNode } from '../support/nodes/replay-node.ts'
import { startFirn, chainStatuses, until, untilLive } from '../support/processes/firn-process.ts'
import { cast } from './places.ts'
import { settled, visit } from './watched-page.ts'

/**
 * A journey begins on the overview of a fresh page. It takes the faults that it provokes out of
 * `faults`.
 */
export type Journey = (page: Page, origin: string, faults: string[]) => Promise<void>

/** Journeys by what they show. */
export const journeys: Readonly<Record<string, Journey>> = {
  'search suggests, arrows choose, Enter leads there': async (page) => {
    await page.keyboard.press('/')
    // A token by the beginning of its name, then a chain.
    await page.keyboard.type('glac')
    await page.waitForSelector('#found [role=option]')
    assert.match(
      (await page.locator('#found [role=option]').allTextContents()).join(),
      /Glacier \(GLC\)/,
    )
    await page.fill('.search input', '')
    await page.keyboard.type('harbor')
    await page.waitForFunction(() =>
      document.querySelector('#found [role=option]')?.textContent?.startsWith('Harbor'),
    )
    const offered = await page.locator('#found [role=option]').allTextContents()
    assert.ok(offered.some((text) => text.startsWith('Harbor')))
    await page.keyboard.press('ArrowDown')
    const chosen = await page.locator('#found [aria-selected=true]').textContent()
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => (location.pathname + location.search).startsWith('/chain/'))
    await settled(page)
    assert.ok(chosen?.startsWith(await page.locator('h1').innerText()))
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
  },
  'arrow keys lead from block to block': async (page, origin) => {
    await visit(page, origin, '/chain/51001/block/7')
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => location.pathname.endsWith('/block/8'))
    await settled(page)
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(() => location.pathname.endsWith('/block/7'))
    await settled(page)
  },
  'search takes what lists show: a hash leads to its page': async (page, origin) => {
    const reply = await fetch(`${origin}/v1/chains/51001/transactions?pageSize=1`)
    const { transactions } = (await reply.json()) as { transactions: [{ txHash: string }] }
    const [{ txHash }] = transactions
    await page.fill('.search input', txHash)
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      (hash) => (location.pathname + location.search).includes(hash),
      txHash,
    )
    await settled(page)
    assert.equal(
      await page.title(),
      `Transaction ${txHash.slice(0, 8)}…${txHash.slice(-6)} · Summit Explorer`,
    )
  },
  'an unknown hash says where it was looked for and offers the other chains': async (
    page,
    origin,
    faults,
  ) => {
    const hash = `0x${'1f'.repeat(32)}`
    await page.fill('.search input', hash)
    await page.keyboard.press('Enter')
    await page.locator('.search .note', { hasText: 'No results on the chains' }).waitFor()
    await visit(page, origin, `/chain/51001/tx/${hash}`)
    const notice = page.locator('#main .empty, #main .failed')
    assert.match(
      (await notice.allInnerTexts()).join('|'),
      /^Not found on Summit, which is indexed up to block 75\. Look on [^|]*Harbor[^|]*$/,
    )
    await notice.getByRole('link', { name: 'Harbor' }).click()
    await page.waitForFunction((end) => location.pathname === `/chain/51002/tx/${end}`, hash)
    await settled(page)
    assert.match(await notice.innerText(), /^Not found on Harbor, /)
    // The browser writes of every answer of 404.
    const expected = ['51001', '51002'].map(
      (id) => `404 ${origin}/v1/chains/${id}/transactions/${hash}`,
    )
    const others = faults.splice(0).filter((one) => !/^console: .* 404 /.test(one))
    assert.deepEqual(
      others.filter((one) => !one.includes('/v1/icm/messages/')),
      expected,
    )
  },
  'pages of a list are in the address, Back returns to them': async (page, origin) => {
    await visit(page, origin, '/chain/51001')
    const first = await page.locator('tbody a').first().innerText()
    await page.click('text=Next →')
    await page.waitForFunction(() => (location.pathname + location.search).includes('page=2.'))
    await settled(page)
    const second = await page.locator('tbody a').first().innerText()
    assert.equal(Number(first.replace(',', '')) - Number(second.replace(',', '')), 25)
    const place = page.url()
    await page.locator('tbody a').first().click()
    await page.waitForFunction(() => (location.pathname + location.search).includes('/block/'))
    await settled(page)
    await page.goBack()
    await settled(page)
    assert.equal(page.url(), place)
    assert.equal(await page.locator('tbody a').first().innerText(), second)
    await page.reload()
    await settled(page)
    assert.equal(await page.locator('tbody a').first().innerText(), second)
  },
  'filters are in the address, a link holds them': async (page, origin) => {
    await visit(page, origin, '/primary/fuji')
    await page.selectOption('select[name=status]', 'completed')
    await page.waitForFunction(() =>
      (location.pathname + location.search).includes('status=completed'),
    )
    await settled(page)
    const rows = await page.locator('tbody tr').count()
    const reply = await fetch(
      `${origin}/v1/networks/fuji/validators?validationStatus=completed&subnetId=11111111111111111111111111111111LpoYY&pageSize=25`,
    )
    const { validators } = (await reply.json()) as { validators: unknown[] }
    assert.ok(rows > 0)
    assert.equal(rows, validators.length)
    await page.reload()
    await settled(page)
    assert.equal(await page.inputValue('select[name=status]'), 'completed')
    assert.equal(await page.locator('tbody tr').count(), rows)
  },
  'the console sends a form and shows the answer': async (page, origin) => {
    await visit(page, origin, '/api/getBlock')
    await page.fill('.operations input', 'nft holders each')
    assert.deepEqual(await page.locator('.operations li').allInnerTexts(), [
      'getNftHoldersByContractAddress',
    ])
    await page.fill('.operations input', '')
    await page.click('text=Fill in an example')
    assert.equal(await page.inputValue('#field-chainId'), '51001')
    await page.fill('#field-blockId', '7')
    assert.match(
      await page.locator('.curl pre').innerText(),
      /^curl .*\/v1\/chains\/51001\/blocks\/7'$/,
    )
    await page.keyboard.press('Enter')
    await page.waitForSelector('pre.json')
    const shown: unknown = JSON.parse(await page.locator('pre.json').innerText())
    const reply: unknown = await (await fetch(`${origin}/v1/chains/51001/blocks/7`)).json()
    assert.deepEqual(shown, reply)
  },
  'a transaction says what happened, a list is saved as CSV': async (page, origin) => {
    const deployed = await fetch(
      `${origin}/v1/chains/51001/contracts/${cast['Summit.token']}/transactions:getDeployment`,
    )
    const { nativeTransaction } = (await deployed.json()) as {
      nativeTransaction: { txHash: string }
    }
    const said: readonly (readonly [string | undefined, RegExp])[] = [
      [cast['tx transfer'], /^Builder sent [\d,.]+ GLC to Traveller\.$/],
      [nativeTransaction.txHash, /^Builder created the contract GLC\.$/],
      [cast['tx failed'], /^Builder called \w+ on TokenMaker; it failed\.$/],
      [
        cast['tx message'],
        /^Trader bridged [\d.,]+ GLC to Traveller on Harbor, delivered in \d+ s\.$/,
      ],
    ]
    for (const [hash, sentence] of said) {
      await visit(page, origin, `/chain/51001/tx/${hash ?? ''}`)
      assert.match(await page.locator('.said').innerText(), sentence)
    }
    await visit(page, origin, '/chain/51002')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('a[aria-label="list as CSV"]'),
    ])
    assert.equal(download.suggestedFilename(), 'chains-51002-blocks.csv')
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    // A head, and every block down to the genesis.
    const reply = await fetch(`${origin}/v1/chains/51002/blocks?pageSize=1`)
    const { blocks } = (await reply.json()) as { blocks: [{ blockNumber: string }] }
    const head = Number(blocks[0].blockNumber)
    assert.equal(lines.length, 1 + head + 1)
    assert.deepEqual(
      lines.slice(1).map((line) => Number(line.split(',')[1])),
      Array.from({ length: head + 1 }, (_, at) => head - at),
    )
  },
  'logs of a transaction are decoded, calls are a tree, holders come with their share': async (
    page,
    origin,
  ) => {
    await visit(page, origin, `/chain/51001/tx/${cast['tx transfer'] ?? ''}`)
    await settled(page)
    const path = `/v1/chains/51001/transactions/${cast['tx transfer'] ?? ''}`
    const reply = await fetch(`${origin}${path}`)
    const { erc20Transfers } = (await reply.json()) as {
      erc20Transfers: [{ value: string; from: { address: string } }]
    }
    const row = page.locator('section', { hasText: 'Event logs' }).locator('tbody tr')
    assert.equal(await row.count(), 1)
    const text = await row.innerText()
    assert.match(text, /Transfer/)
    // The whole number of the smallest unit stands behind the amount.
    assert.ok((await row.innerHTML()).includes(erc20Transfers[0].value), text)

    // A call inside another is a list inside its item.
    const made = cast['tx internal'] ?? ''
    await visit(page, origin, `/chain/51001/tx/${made}`)
    await page.getByRole('button', { name: 'Show internal calls' }).click()
    await settled(page)
    const traced = await fetch(`${origin}/v1/chains/51001/transactions/${made}/calls`)
    const { calls } = (await traced.json()) as {
      calls: {
        depth: number
        callType: string
        decodedInput?: { parameters: { type: string; value: string }[] }
      }[]
    }
    assert.ok(calls.length > 1)
    assert.deepEqual(
      await page.$$eval('.calls li', (all) =>
        all.map((one) => {
          let depth = -1
          for (let up = one.closest('.calls'); up !== null; depth++)
            up = up.parentElement?.closest('.calls') ?? null
          return { depth, callType: one.querySelector('code')?.textContent?.toUpperCase() }
        }),
      ),
      calls.map(({ depth, callType }) => ({ depth, callType })),
    )
    const values = calls.flatMap(({ decodedInput }) => decodedInput?.parameters ?? [])
    const texts = values.filter(({ type }) => type === 'string').map(({ value }) => value)
    const tree = await page.locator('.calls').first().innerText()
    assert.ok(texts.length > 0)
    for (const text of texts) assert.ok(tree.includes(text), text)

    await visit(page, origin, `/chain/51001/address/${cast['Summit.token'] ?? ''}/holders`)
    const answer = await fetch(
      `${origin}/v2/chains/51001/contracts/${cast['Summit.token'] ?? ''}/balances`,
    )
    const { addresses } = (await answer.json()) as { addresses: { sortKey: string }[] }
    assert.equal(await page.locator('#main tbody tr').count(), addresses.length)
    const shares = await page.locator('#main tbody td:last-child').allInnerTexts()
    const sum = shares.reduce((all, one) => all + Number.parseFloat(one.replace('< ', '')), 0)
    assert.ok(Math.abs(sum - 100) < 0.5, shares.join())
    const parts = shares.map((one) => Number.parseFloat(one.replace('< ', '')))
    assert.deepEqual(
      parts,
      parts.toSorted((a, b) => b - a),
    )
  },
  'names that deceive are seen through': async (page, origin) => {
    // The token's own name comes as a contract would tell it; everything else is the real answer.
    await page.route('**/v1/chains/51001/addresses/0x*', async (route) => {
      const reply = await route.fetch()
      const text = await reply.text()
      await route.fulfill({
        response: reply,
        body: text.replace(
          /"(name|symbol)":"[^"]*"/g,
          '"$1":"A\u200bVAX\u202e<img src=x onerror=alert(1)>"',
        ),
      })
    })
    const reply = await fetch(`${origin}/v1/search?q=dusd`)
    const { hits } = (await reply.json()) as { hits: { kind: string; id: string }[] }
    const token = hits.find(({ kind }) => kind === 'token')?.id ?? ''
    assert.notEqual(token, '')
    await visit(page, origin, `/chain/51001/address/${token}`)
    await page.locator('.heading .pill').first().waitFor()
    const text = await page.locator('#main').innerText()
    assert.ok(text.includes('A⟨200B⟩VAX⟨202E⟩'), text.slice(0, 400))
    assert.ok(text.includes(token), 'the address stands beside the name')
    assert.equal(await page.locator('#main img:not(.logo)').count(), 0)
    assert.match(await page.title(), /A⟨200B⟩VAX/)
  },
  'requests to a busy server are repeated, and given up with a message': async (
    page,
    origin,
    faults,
  ) => {
    const messages = '/v2/icm/summary'
    let refusals = 0
    let most = mostAttempts - 1
    await page.route(`**${messages}`, async (route) => {
      if (refusals === most) return route.continue()
      refusals++
      return route.fulfill({
        status: 503,
        headers: { 'retry-after': '0' },
        json: { message: 'full' },
      })
    })
    await page.reload()
    await settled(page)
    assert.equal(refusals, mostAttempts - 1)
    const count = page.locator('.numbers div', { hasText: 'Messages' }).locator('dd')
    const reply = await fetch(`${origin}${messages}`)
    const { result } = (await reply.json()) as { result: { lastDay: number } }
    assert.equal(await count.innerText(), result.lastDay.toLocaleString('en-US'))
    assert.equal(await page.locator('.given-up').count(), 0)

    refusals = 0
    most = mostAttempts
    await page.reload()
    await page.waitForSelector('.given-up')
    assert.equal(await count.innerText(), '–')
    assert.deepEqual(faults.splice(0), [`503 ${origin}${messages}`])
    await page.click('text=Try again')
    await page.waitForSelector('.given-up', { state: 'detached' })
    assert.equal(await count.innerText(), result.lastDay.toLocaleString('en-US'))
  },
  'pages of a network ask for nothing before it is known which one': async (page, origin) => {
    const held = Promise.withResolvers<void>()
    await page.route('**/status', async (route) => {
      await held.promise
      return route.continue()
    })
    for (const path of ['/staking', '/l1s']) {
      await page.goto(origin + path)
      await page.locator('h1', { hasText: 'Loading' }).waitFor()
    }
    held.resolve()
    await page.locator('h1', { hasText: 'L1s' }).waitFor()
    await settled(page)
  },
  'blocks come while one looks on, and stop when one says so': async (page, _origin, faults) => {
    const ends: (() => Promise<void> | void)[] = []
    const t = { after: (end: () => Promise<void>) => void ends.unshift(end) }
    try {
      const node = await openReplayNode(
        await readFile(new URL('../../demo/summit.firnrec', import.meta.url)),
      )
      node.head = 40
      const { url, close } = await serveReplayNode(node)
      ends.unshift(close)
      const folder = await mkdtemp(join(tmpdir(), 'firn-live-'))
      ends.push(() => rm(folder, { recursive: true, force: true }))
      const config = join(folder, 'firn.yaml')
      await writeFile(config, `chains: [{ name: Summit, rpcUrls: ['${url}'] }]\n`)
      const firn = await startFirn(t, ['--config', config, '--data-dir', folder])
      await untilLive(firn, ['fuji-summit'])

      await page.goto(`${firn.apiUrl}/`)
      const blocks = page.locator('.newest-blocks li a')
      await page.waitForFunction(
        () => document.querySelector('.newest-blocks li a')?.textContent === '40',
      )
      const requested: string[] = []
      page.on('request', (request) => requested.push(request.url()))
      node.head = 41
      await page.waitForFunction(
        () => document.querySelector('.newest-blocks li a')?.textContent === '41',
      )
      assert.ok(!requested.some((one) => one.includes('/v1/blocks')), 'it was pushed')
      const reply = await firn.get('/v1/chains/51001/transactions?pageSize=1')
      const [{ txHash }] = reply['transactions'] as [{ txHash: string }]
      await page.waitForFunction(
        (hash) => document.querySelector(`#main tbody a[href$="${hash}"]`) !== null,
        txHash,
      )
      await page.click('.newest-blocks button')
      node.head = 45
      await until('indexed 45', async () => {
        return ((await chainStatuses(firn)).get('fuji-summit')?.indexedHeight ?? -1) >= 45
      })
      assert.equal(await blocks.first().innerText(), '41')
      await page.click('.newest-blocks button')
      await page.waitForFunction(
        () => document.querySelector('.newest-blocks li a')?.textContent === '45',
      )

      // Where the server pushes to nobody more, the page asks.
      await page.route('**/v1/blocks/events*', (route) => route.fulfill({ status: 204 }))
      await page.reload()
      await page.waitForFunction(
        () => document.querySelector('.newest-blocks li a')?.textContent === '45',
      )
      await page.goto('about:blank')
      // This Firn has an address of its own.
      const foreign = faults.splice(0).filter((one) => !one.startsWith(`foreign: ${firn.apiUrl}/`))
      faults.push(...foreign)
    } finally {
      // One after the other: a process ends before its folder goes.
      // oxlint-disable-next-line no-await-in-loop
      for (const end of ends) await end()
    }
  },
  'a token that somebody warned of carries the warning': async (page, origin) => {
    for (const [role, word] of [
      ['Summit.deceiver', 'malicious'],
      ['Summit.stable', 'benign'],
    ] as const) {
      await visit(page, origin, `/chain/51001/address/${cast[role] ?? ''}`)
      await page.locator('.heading .pill', { hasText: word }).waitFor()
    }
  },
  'the theme is chosen and kept': async (page) => {
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const before = await ground()
    // One of the three choices looks like the system's own.
    await page.click('button.theme')
    await page.click('button.theme')
    await page.waitForFunction(
      (old) => getComputedStyle(document.body).backgroundColor !== old,
      before,
    )
    const chosen = await ground()
    assert.notEqual(chosen, before)
    await page.reload()
    await settled(page)
    assert.equal(await ground(), chosen)
  },
  'without a mouse: the first Tab leads past the menu, arrows read a chart': async (
    page,
    origin,
  ) => {
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
    // Points of a chart are read by arrow keys.
    const reply = await fetch(
      `${origin}/v2/chains/total/metrics/txCount?timeInterval=day&pageSize=2`,
    )
    const { results } = (await reply.json()) as { results: [{ value: number }, { value: number }] }
    const shown = ({ value }: { value: number }): RegExp =>
      new RegExp(` · ${value.toLocaleString('en-US')}$`)
    const chart = page.locator('.chart').first()
    await chart.locator('.u-over').waitFor()
    await chart.focus()
    await page.keyboard.press('End')
    assert.match(await chart.locator('.hint').innerText(), shown(results[0]))
    await page.keyboard.press('ArrowLeft')
    assert.match(await chart.locator('.hint').innerText(), shown(results[1]))
  },
}
