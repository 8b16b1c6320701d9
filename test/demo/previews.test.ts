/** Pages of a running demo as those read them who run no script: what happened, what there is not, an operator's pages. */

import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { itemAt } from '../../src/core/item-at.ts'
import {
  demoFolder,
  freshFolder,
  runFirn,
  startDemo,
  untilDemoServed,
} from '../support/processes/firn-process.ts'

void test('previews: a page says what it shows, what is unknown is 404, own pages link to each other', async (t) => {
  const pages = join(await freshFolder(t), 'pages')
  await mkdir(pages)
  await writeFile(
    join(pages, 'about.md'),
    '# About us\n\n[Terms](terms.md), [x](javascript:alert)\n',
  )
  await writeFile(join(pages, 'terms.md'), '# Terms\n')
  process.env['FIRN_EXPLORER_PAGES'] = pages
  t.after(() => delete process.env['FIRN_EXPLORER_PAGES'])
  const firn = await startDemo(t, await demoFolder(t))
  await untilDemoServed(firn)
  const read = async (path: string): Promise<readonly [number, string]> => {
    const reply = await fetch(`${firn.apiUrl}${path}`)
    const text = await reply.text()
    return [reply.status, /og:description" content="([^"]*)"/.exec(text)?.[1] ?? text]
  }
  const newest = await firn.get('/v1/chains/51001/transactions?pageSize=1&summaries=true')
  assert.ok(Array.isArray(newest['transactions']))
  const { txHash, summary } = itemAt(newest['transactions'], 0)
  assert.deepEqual(await read(`/chain/51001/tx/${txHash}`), [200, summary.text])
  const bridge = '/chain/51001/address/0x268A2dB8ba768C8631b38090a146f8867D010A82'
  assert.deepEqual(await read(bridge), [200, 'Bridge to Harbor'])
  const [status] = await read('/chain/51001/address/0x7E14e12673012417d23C6BC4019375736Fe08844')
  assert.equal(status, 200)
  for (const path of [
    '/chain/51001/block/99999',
    '/chain/99/block/7',
    '/chain/51001/address/0x12',
    '/chain/51001/token/0x268A2dB8ba768C8631b38090a146f8867D010A82',
    '/message/none',
  ])
    assert.deepEqual(await read(path), [404, 'Page not found'], path)
  for (const path of ['/pages/none', '/explorer/old/main.js'])
    assert.equal((await read(path))[0], 404, path)
  for (const view of ['transactions', 'tokens', 'collections', 'contracts', 'active', 'gas'])
    assert.equal((await read(`/chain/51001/${view}`))[0], 200, view)
  const [, about] = await read('/pages/about')
  assert.match(about, /<a href="\/pages\/terms">Terms<\/a>, x/)
  assert.equal(await firn.end(), 0)

  await writeFile(join(pages, 'no name.md'), '')
  const { code, stderr } = await runFirn('start', '--port', '0', '--data-dir', await freshFolder(t))
  assert.notEqual(code, 0)
  assert.match(stderr, /have names like about-us\.md/)
})
