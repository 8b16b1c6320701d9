/** What web pages and wallets do with a chain's RPC here: viem and ethers in a page, and the explorer's offer to a wallet. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'

import { build } from 'esbuild'
import { JsonRpcProvider } from 'ethers'

import { chromiumProgram, openChromium } from '../browser/chromium.ts'
import { freshFolder } from '../support/processes/firn-process.ts'
import { accountKey, firnOverAnvil } from './anvil.ts'

const chainId = 43_995
const to = '0x00000000000000000000000000000000000000aa'
const program = chromiumProgram()
const skip = program === undefined ? 'no Chromium: name one by TEST_CHROMIUM' : false

/** Runs in the page: each library reads, in a batch too, and sends. */
const script = `
import { createPublicClient, createWalletClient, defineChain, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { JsonRpcProvider, Wallet } from "ethers"

globalThis.tried = async (url, id, key, to) => {
  const chain = defineChain({ id, name: 'Anvil', nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, rpcUrls: { default: { http: [url] } } })
  const transport = http(url, { batch: true, retryCount: 0 })
  const reader = createPublicClient({ chain, transport })
  const sender = createWalletClient({ chain, transport, account: privateKeyToAccount(key) })
  const hash = await sender.sendTransaction({ to, value: 7n })
  const receipt = await reader.waitForTransactionReceipt({ hash })
  const [balance, block] = await Promise.all([reader.getBalance({ address: to }), reader.getBlockNumber()])
  const provider = new JsonRpcProvider(url, id, { staticNetwork: true })
  const sent = await new Wallet(key, provider).sendTransaction({ to, value: 5n })
  const mined = await sent.wait()
  const refused = await provider.send('debug_traceTransaction', [hash]).catch((error) => String(error.error?.message ?? error))
  return [receipt.status, String(balance), String(block), mined.status, String(await provider.getBalance(to, mined.blockNumber)), refused]
}
`

void test(
  'wallets: viem and ethers in a page of another origin, and a wallet that takes the chain',
  { skip },
  async (t) => {
    const { outputFiles } = await build({
      stdin: { contents: script, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
    })
    const [bundle] = outputFiles
    const page = createServer((request, reply) => {
      const isScript = request.url === '/page.js'
      reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      reply.end(isScript ? bundle?.text : '<script type="module" src="/page.js"></script>')
    })
    await once(page.listen(0, '127.0.0.1'), 'listening')
    t.after(() => page.close())
    const { port } = page.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const folder = await freshFolder(t)
    const settings = `api: { cors: ['${origin}'] }`
    const { firn } = await firnOverAnvil(t, { folder, chainId, settings })
    const browser = await openChromium(program ?? '')
    t.after(() => browser.close())

    const tab = await browser.newPage()
    await tab.goto(origin)
    await tab.waitForFunction('globalThis.tried !== undefined')
    const url = `${firn.apiUrl}/v1/chains/${chainId}/rpc`
    const parameters = JSON.stringify([url, chainId, accountKey, to])
    assert.deepEqual(await tab.evaluate(`globalThis.tried(...${parameters})`), [
      'success',
      '7',
      '1',
      1,
      '12',
      'the method is not offered here: debug_traceTransaction',
    ])
    // A page that is not named gets nothing.
    const stranger = await browser.newPage()
    await stranger.goto(firn.nodeUrl)
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    const call = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const refused = await stranger.evaluate(
      `fetch(${JSON.stringify(url)}, ${JSON.stringify(call)}).then(() => 'read', (error) => error.name)`,
    )
    assert.equal(refused, 'TypeError')

    // A wallet that knows no chain but its own, as EIP-3085 and EIP-3326 have it.
    const explorer = await browser.newPage()
    await explorer.addInitScript(`
    const calls = (globalThis.calls = [])
    let chain = '0x1'
    globalThis.ethereum = {
      request: async ({ method, params }) => {
        calls.push([method, params])
        if (method === 'eth_chainId') return chain
        if (method === 'wallet_switchEthereumChain') throw { code: 4902, message: 'unknown chain' }
        if (method === 'wallet_addEthereumChain') chain = params[0].chainId
        return null
      },
    }
  `)
    await explorer.goto(`${firn.apiUrl}/chain/${chainId}`)
    await explorer.click('button:has-text("Add to browser wallet")')
    await explorer.waitForSelector('text=The wallet is on this chain.')
    const calls = (await explorer.evaluate('globalThis.calls')) as [string, unknown[]][]
    const [added] = calls.flatMap(([method, params]) =>
      method === 'wallet_addEthereumChain' ? params : [],
    ) as { chainId: string; rpcUrls: string[]; blockExplorerUrls: string[] }[]
    assert.deepEqual(added, {
      chainId: `0x${chainId.toString(16)}`,
      chainName: 'Anvil',
      rpcUrls: [url],
      nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
      blockExplorerUrls: [new URL(firn.apiUrl).origin],
    })
    // A wallet asks the address which chain it is before it adds it.
    const provider = new JsonRpcProvider(added?.rpcUrls[0])
    assert.equal((await provider.getNetwork()).chainId, BigInt(chainId))
    provider.destroy()
  },
)
