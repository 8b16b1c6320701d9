/**
 * The explorer's primary half on a Firn that has no node: a recorded network's blocks come from peers, and every
 * page that links lead to works as on a Firn with one.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { toCb58 } from '../../src/core/cb58.ts'
import { startPeers, truthOf } from '../support/nodes/hostile-peers.ts'
import { entry, follow, freshFolder, untilLive } from '../support/processes/firn-process.ts'
import { chromiumProgram, openChromium } from './chromium.ts'
import { crawl } from './crawl.ts'
import { visit, watchedPage } from './watched-page.ts'

const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false
const kindsOfPages = [
  'primary/:',
  'primary/:/address/:',
  'primary/:/block/p-chain/:',
  'primary/:/block/x-chain/:',
  'primary/:/blocks/p-chain',
  'primary/:/l1',
  'primary/:/node/:',
  'primary/:/subnet/:',
  'primary/:/subnets',
  'primary/:/transactions/p-chain',
  'primary/:/tx/p-chain/:',
  'primary/:/tx/x-chain/:',
  'staking/:',
]

void test('explorer of a Firn without a node', { skip }, async (t) => {
  const truth = truthOf('local-five')
  const peers = await startPeers(truth, 5, () => 0.5)
  t.after(peers.close)
  const folder = await freshFolder(t)
  const config = join(folder, 'firn.json')
  const fuji = {
    primary: true,
    source: 'peers',
    networkId: truth.networkId,
    peers: peers.validators.map(({ nodeId, port }) => `${nodeId}@127.0.0.1:${port}`),
  }
  await writeFile(config, JSON.stringify({ dataDir: join(folder, 'data'), networks: { fuji } }))
  const words = [entry, 'start', '--config', config, '--port', '0', '--node-port', '0']
  const firn = await follow(t, spawn(process.execPath, words))
  await untilLive(firn, ['primary-fuji'])
  const browser = await openChromium(program ?? '')
  t.after(() => browser.close())
  const { kinds, faults } = await crawl(browser, firn.apiUrl, {
    width: 1280,
    seeds: [],
    perKind: 2,
  })
  // Imports and exports link to the C-Chain, whose blocks a Firn without a node leaves out: its pages say so.
  assert.equal(faults.filter((fault) => !fault.includes('/tx/c-chain/')).join('\n'), '')
  const { page, close } = await watchedPage(browser, firn.apiUrl, {
    width: 1280,
    scheme: 'light',
  })
  await visit(page, firn.apiUrl, `/primary/fuji/tx/c-chain/${toCb58(new Uint8Array(32))}`)
  assert.match(await page.innerText('#main'), /no block of the c-chain is indexed/)
  await close()
  const missing = kindsOfPages.filter((kind) => !kinds.has(kind))
  assert.deepEqual(missing, [], [...kinds.keys()].join(' '))
})
