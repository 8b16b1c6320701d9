/** ethers' EtherscanProvider against Firn, over an anvil. */

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { EtherscanProvider, Network, parseEther, Wallet } from 'ethers'

import { atEnd, freshFolder, startFirn, until, untilLive } from '../firn-process.ts'
import { account, accountKey, startAnvil } from './anvil.ts'

/** One that its provider knows. */
const chainId = 80_002
const host = 'https://api.etherscan.io'

void test('ethers: its EtherscanProvider reads balances, history and the ABI state', async (t) => {
  const folder = await freshFolder(t)
  const anvil = await startAnvil(chainId)
  atEnd(t, anvil.end)
  writeFileSync(
    join(folder, 'firn.yaml'),
    `warp: { enabled: false }
chains:
  - { network: fuji, name: Anvil, symbol: ETH, rpcUrls: ['${anvil.url}'], publicRpc: send }
`,
  )
  const firn = await startFirn(t, [
    '--config',
    join(folder, 'firn.yaml'),
    '--data-dir',
    join(folder, 'data'),
  ])
  await untilLive(firn, ['fuji-anvil'])
  class FirnProvider extends EtherscanProvider {
    override getUrl(module: string, parameters: Record<string, string>): string {
      return super.getUrl(module, parameters).replace(host, firn.apiUrl)
    }
    override getPostUrl(): string {
      return super.getPostUrl().replace(host, firn.apiUrl)
    }
  }
  const provider = new FirnProvider(Network.from(chainId))
  const wallet = new Wallet(accountKey, provider)
  const to = '0x00000000000000000000000000000000000000aa'
  const sent = await wallet.sendTransaction({ to, value: parseEther('1.5') })
  await until(
    'the chain is read',
    async () => (await provider.getBalance(to)) === parseEther('1.5'),
  )
  await until('the chain is read', async () => {
    const history = await provider.fetch('account', { action: 'txlist', address: account })
    return Array.isArray(history) && history[0]?.hash === sent.hash
  })
  assert.equal((await provider.getTransactionReceipt(sent.hash))?.status, 1)
  assert.equal(await provider.getBlockNumber(), 1)
  await assert.rejects(provider.getContract(to).then((found) => assert.ok(found !== null)))
})
